// The pieces of the grid's page, with the roles of an ARIA grid.

export function part(tag: string, name: string, role: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = name;
  element.setAttribute("role", role);
  return element;
}

export function unseen(text: string): HTMLElement {
  const span = document.createElement("span");
  span.className = "unseen";
  span.textContent = text;
  return span;
}
