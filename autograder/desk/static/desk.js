// What a page does beyond htmx; without it everything still works.
