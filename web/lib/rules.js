/** Why a chapter is not read, in words. Pure. */

const RULES = /** @type {Record<string, string>} */ ({
  cover: "cover", "title-page": "title page", toc: "table of contents", copyright: "copyright page", imprint: "imprint",
  colophon: "colophon", "pg-licence": "licence text", index: "index", endnotes: "notes", footnotes: "notes",
  advertisement: "advertisement", "about-author": "about the author", praise: "praise of other books",
  teaser: "part of another book", transcriber: "transcriber’s note", "page-list": "list of pages", bibliography: "bibliography", "list-of-illustrations": "list of illustrations",
  "list-of-tables": "list of tables", math: "formula", switch: "meant for other devices", landmarks: "list of places", head: "title of the page", noteref: "marks of notes", "note-mark": "marks of notes", backlink: "ways back from notes", invisible: "what cannot be seen",
  "line-hyphen": "hyphens at line ends", "line-number": "numbers of lines", pagebreak: "numbers of pages", hidden: "what the book hides",
  image: "words of a picture", "image-ornament": "ornaments", "image-repeats": "words of a picture that stand in the text too", svg: "words of a drawing", ornament: "ornaments",
  code: "program code", style: "how the page is to look", script: "programs of the page", ruby: "reading aids", embedded: "embedded media", form: "parts of a form", deleted: "struck-out text", "non-linear": "beside the reading order", chosen: "turned off by you",
});

/** What a rule passes over, in a word or two. @param {string} rule */
export const reasonOf = (rule) => RULES[rule] ?? rule;

/** @param {string|null} rule */
export const whyNot = (rule) => `Not read: ${RULES[rule ?? ""] ?? rule ?? "turned off"}`;
