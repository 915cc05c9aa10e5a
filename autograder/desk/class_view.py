"""The view *Class*: all students and exercises as a table."""

from starlette.responses import Response

from autograder.desk.view import DeskView, Visit


def show(visit: Visit) -> Response:
    now = visit.results()
    return visit.page("class_view.html", overview=now.overview)


VIEWS = (DeskView("/", show, "Class"),)
