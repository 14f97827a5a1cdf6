/**
 * Titles for users without a mouse: below the element with the keyboard's focus or a finger's touch, so that it is
 * never covered; above it if there is no space. A mouse has the browser's own.
 */

const GAP = 6;

/** For as long as the page lives. */
export function showTips(): void {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  // The title itself is what a screen reader reads.
  tip.setAttribute("aria-hidden", "true");
  const titled = (target: EventTarget | null) =>
    target instanceof Element ? target.closest<HTMLElement>("[title]") : null;
  const hide = () => {
    tip.hidden = true;
  };
  const show = (element: HTMLElement | null) => {
    hide();
    if (!element?.title) return;
    // What lies above all else is the open dialog.
    (element.closest("dialog") ?? document.body).append(tip);
    tip.textContent = element.title;
    tip.hidden = false;
    const box = element.getBoundingClientRect();
    const left = Math.max(4, Math.min(box.left, window.innerWidth - tip.offsetWidth - 4));
    const below = box.bottom + GAP;
    const top = below + tip.offsetHeight > window.innerHeight ? box.top - GAP - tip.offsetHeight : below;
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(Math.max(4, top))}px)`;
  };
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element && target.matches(":focus-visible")) show(titled(target));
    else hide();
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  window.addEventListener("resize", hide);
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  // A touch ends in a click, after the focus that it brings.
  document.addEventListener("click", (event) => {
    if (!(event instanceof PointerEvent) || event.pointerType !== "touch") return;
    const element = titled(event.target);
    // A button does what its title says; a word only has it.
    show(element?.matches("button:not(.term), a, input, select") ? null : element);
  });
}
