// Every formula of a page, once it is there. An error is thrown, so that tests see it.
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll("span.math, div.math")) {
    katex.render(element.textContent, element, {
      displayMode: element.classList.contains("display"),
      throwOnError: true,
    });
  }
});
