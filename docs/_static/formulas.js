// Typeset every formula of a page after it has loaded. Errors are thrown, so that tests see them.
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll("span.math, div.math")) {
    katex.render(element.textContent, element, {
      displayMode: element.classList.contains("display"),
      throwOnError: true,
    });
  }
});
