/** The page in the colours and letters that its reader chose; custom properties, which the style sheets take up. */

/** @typedef {typeof import("./settings.js").settings} Settings */

/**
 * Dress the whole document, now and whenever a setting changes. Returns the undo.
 * @param {Settings} settings
 * @returns {() => void}
 */
export function dress(settings) {
  const root = document.documentElement;
  const metas = [...document.querySelectorAll('meta[name="theme-color"]')];
  const usual = metas.map((meta) => meta.getAttribute("content") ?? "");
  const undo = [
    settings.theme.subscribe((theme) => {
      if (theme === "system") root.removeAttribute("data-theme");
      else root.dataset.theme = theme;
      const paper = getComputedStyle(root).getPropertyValue("--paper").trim();
      metas.forEach((meta, i) => meta.setAttribute("content", theme === "system" ? usual[i] : paper));
    }),
    settings.font.subscribe((font) => (root.dataset.font = font)),
    settings.justify.subscribe((justify) => root.toggleAttribute("data-justify", justify === "yes")),
    settings.silent.subscribe((silent) => root.toggleAttribute("data-bare", silent === "hidden")),
    settings.text_px.subscribe((px) => root.style.setProperty("--text-size", `${px}px`)),
    settings.leading.subscribe((lines) => root.style.setProperty("--leading", String(lines))),
    settings.measure_rem.subscribe((rem) => root.style.setProperty("--measure", `${rem}rem`)),
  ];
  return () => undo.forEach((run) => run());
}
