/** Why a chapter is not read, in words. Pure. */

const RULES = /** @type {Record<string, string>} */ ({
  cover: "cover", "title-page": "title page", toc: "table of contents", copyright: "copyright page", imprint: "imprint",
  colophon: "colophon", "pg-licence": "licence text", index: "index", endnotes: "notes", footnotes: "notes",
  advertisement: "advertisement", "about-author": "about the author", praise: "praise of other books",
  teaser: "part of another book", transcriber: "transcriber’s note", "page-list": "list of pages", bibliography: "bibliography", "list-of-illustrations": "list of illustrations",
  "list-of-tables": "list of tables", "non-linear": "beside the reading order", chosen: "turned off by you",
});

/** @param {string|null} rule */
export const whyNot = (rule) => `Not read: ${RULES[rule ?? ""] ?? rule ?? "turned off"}`;
