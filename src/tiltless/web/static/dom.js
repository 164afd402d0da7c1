// Elements from data: el("button", {class: "x", onclick: f}, "text", child, [children]).

/**
 * @param {string} tag
 * @param {Object<string, any>} [attributes] on… are listeners, style an object of CSS properties
 * @param {...any} children texts, nodes, lists of them; null is skipped
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) made.style.setProperty(key, text);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** Replace the children of an element. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return parent;
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** "no such table" as "No such table." */
export const sentence = (text, end = ".") => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.…?]$/.test(text) ? "" : end}`;

/** A short message at the bottom of the page. */
export function toast(text) {
  const box = document.getElementById("toast");
  box.textContent = sentence(text);
  box.classList.toggle("shown", Boolean(text));
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => box.classList.remove("shown"), 6000);
}
