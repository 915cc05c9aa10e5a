"""From a platform's download to its upload: graded, late, adjusted, graded again."""

import io
import json
import zipfile

import msgspec
import pytest
from click.testing import CliRunner

from autograder.classroom.grade_class import Job, grade_class
from autograder.cli import app
from autograder.course.course_file import Course
from autograder.course.lateness import LatePolicy
from tests.platforms import downloads

TITLE = "Attention by hand and in NumPy"
ROSTER = (
    "id;name;email;group;canvas\nm1;Müller, Jörg;;;101\nm2;Ann van der Berg;;;\nm3;小明 王;;;\n"
)
ROSTER += "m4;Gu Ga;;Group A;\nm5;Lee Park;;Group A;\nm6;Never There;;;\n"


@pytest.fixture
def way(root, course, tmp_path):
    """Grade a download with right answers in it, and run commands on the results."""
    text = (root / "solutions" / "softmax.py").read_text()
    right = "\n".join(line for line in text.split("\n") if "SOLUTION" not in line)

    class Way:
        out = tmp_path / "out"

        def grade(self, files, zipped=True, roster=None, **late):
            files = {
                name: right
                if text in {downloads.SOFTMAX, downloads.SOFTMAX + "# again\n"}
                else text
                for name, text in files.items()
            }
            packed = downloads.packed(tmp_path / "in.zip", files) if zipped else None
            source = packed or downloads.put(tmp_path / "in", files)
            if roster:
                (tmp_path / "roster.csv").write_text(roster)
            content = msgspec.structs.replace(
                course.content, late=LatePolicy(**late) if late else None
            )
            job = Job(
                course=Course(course.root, content),
                exercises=(course.exercise("softmax"),),
                submissions=source,
                out=self.out,
                workers=1,
                seed=0,
                roster=tmp_path / "roster.csv" if roster else None,
            )
            return {row.student: row for row in grade_class(job, lambda *_: None).rows}

        def run(self, *args):
            done = CliRunner().invoke(app, [*map(str, args), "--course", str(root)])
            assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
            return done

        def export(self, platform, template=None):
            args = ["export", platform, self.out, "--out", tmp_path / "upload"]
            if template is not None:
                (tmp_path / "template.csv").write_text(template)
                args += ["--template", tmp_path / "template.csv"]
            done = self.run(*args)
            return (tmp_path / "upload").read_bytes(), done

    return Way()


def test_canvas(way):
    rows = way.grade(downloads.CANVAS, roster=ROSTER)
    found = {student: (row.total, row.status) for student, row in rows.items()}
    assert found == {
        "m1": (12.0, "graded"),
        "m2": (None, "needs a person"),
        "m3": (12.0, "graded"),
        "m4": (12.0, "graded"),
        "m5": (12.0, "graded"),
        "m6": (None, "missing"),
        "oneilsean_104": (None, "missing"),
        "textonly_105": (None, "missing"),
    }
    table = (way.out / "grades.csv").read_text()
    assert table.startswith("student,name,softmax,total") and '\nm1,"Müller, Jörg",12,12,' in table
    assert "marked as late by Canvas" in " ".join(rows["m2"].notes)
    head = f"Student,ID,SIS User ID,SIS Login ID,Section,{TITLE} (12)\n    Points Possible,,,,,12\n"
    students = (
        "Jörg Müller,101,,j,A,",
        "Ann van der Berg,102,,a,A,",
        "王小明,103,,w,A,",
        "Lee Park,107,m5,l,A,",
    )
    upload, done = way.export("canvas", head + "".join(f"{s}5\n" for s in students))
    assert upload.decode() == head + "".join(
        f"{student}{points}\n"
        for student, points in zip(students, ("12", "5", "12", "12"), strict=True)
    )
    assert done.exit_code == 1
    assert (
        "No row in the file, so not exported: m4 (Gu Ga), m6 (Never There), oneilsean_104"
        in done.output
    )


def test_moodle_with_an_adjustment_that_lasts(way):
    way.grade(downloads.MOODLE)
    head = "Identifier,Full name,Status,Grade,Maximum Grade,Last modified (grade)\n"
    sheet = head + "Participant 2001,Jörg Müller,Submitted,,12.00,-\n"
    sheet += "Participant 2005,Nobody Here,Submitted,,12.00,-\nParticipant 77,Other,-,,12.00,-\n"
    wanted = ["adjust", way.out, "Jörg Müller_2001", "softmax"]
    done = way.run(*wanted, "--add", "-2", "--why", "handed in on paper", "--by", "Dr. X")
    assert done.exit_code == 0, done.output
    with pytest.raises(AssertionError, match=r"adjustments.csv changed"):
        way.export("moodle", sheet)
    for _ in range(2):
        way.grade(downloads.MOODLE)
    upload, done = way.export("moodle", sheet)
    assert upload.decode() == sheet.replace("Submitted,,12", "Submitted,10,12", 1)
    assert "Group A_77" in done.output and "Nobody Here_2005 (missing)" in done.output
    upload, _ = way.export("moodle-feedback", sheet)
    with zipfile.ZipFile(io.BytesIO(upload)) as file:
        names = file.namelist()
        page = file.read(names[0]).decode()
    assert names == [
        "Jörg Müller_2001_assignsubmission_file/feedback.html",
        "Nobody Here_2005_assignsubmission_file/feedback.html",
    ]
    assert "Softmax: −2 points by Dr. X on 20" in page and "handed in on paper" in page
    doubt = way.run(*wanted, "--add", "100", "--why", "a slip").output
    assert "That makes 110 of 12 points" in doubt
    assert (
        "Points cannot go below 0, so only 110"
        in way.run(*wanted, "--add", "-200", "--why", "x").output
    )
    assert way.run(*wanted, "--undo").exit_code == 0
    assert way.grade(downloads.MOODLE)["Jörg Müller_2001"].total == 12.0


def test_gradescope_with_lateness(way):
    rows = way.grade(downloads.GRADESCOPE, percent_a_day=25)
    assert {student: row.total for student, row in rows.items()} == {
        "3001": 12.0,
        "3002": 9.0,
        "3003": 9.0,
        "empty@example.org": None,
        "submission_99": 12.0,
    }
    page = (way.out / rows["3002"].page).read_text()
    assert "25 % are taken off, 3 points." in page and "Handed in together with Bo Chen." in page
    upload, done = way.export("gradescope")
    with zipfile.ZipFile(io.BytesIO(upload)) as file:
        results = {name: json.loads(file.read(name)) for name in file.namelist()}
    assert list(results) == [f"submission_{number}/results.json" for number in (1, 2, 4)]
    two = results["submission_2/results.json"]
    assert two["score"] == 9.0
    assert "25 % are taken off, 3 points." in two["output"]
    assert {test["status"] for test in two["tests"]} == {"passed"}
    assert "submission_99" in done.output


def test_blackboard_with_a_group_and_lateness(way):
    """Two attempts, one late, a group's, words alone, a stranger; and names that are not ASCII."""
    late = "Homework 1_王小明_attempt_2027-02-06-10-00-00"
    team = "Homework 1_Group A_attempt_2027-02-05-09-00-00"
    note = downloads.NOTE.format
    files = downloads.BLACKBOARD | {
        f"{late}_softmax.py": downloads.SOFTMAX,
        f"{late}.txt": note(
            name="小明 王",
            user="王小明",
            words="",
            original="softmax.py",
            file=f"{late}_softmax.py",
        ),
        f"{team}_softmax.py": downloads.SOFTMAX,
        f"{team}.txt": note(
            name="Group A", user="Group A", words="", original="x.py", file="y_softmax.py"
        ),
        "Homework 1 notes.docx": "x",
    }
    roster = "id,name,blackboard,group\ns1,Jörg Müller,jmueller,\ns2,小明 王,王小明,\n"
    roster += "s3,Ann Berg,aberg,Group A\ns4,Bo Chen,bchen,Group A\ns5,Never There,never,\n"
    rows = way.grade(files, roster=roster, percent_a_day=25)
    assert {student: (row.total, row.status) for student, row in rows.items()} == {
        "s1": (12.0, "graded"),
        "s2": (9.0, "graded"),
        "s3": (12.0, "graded"),
        "s4": (12.0, "graded"),
        "s5": (None, "missing"),
        "evil": (12.0, "graded"),
        "words": (None, "missing"),
    }
    assert "An earlier attempt was left out" in " ".join(rows["s1"].notes)
    assert "Handed in by a team: Group A." in " ".join(rows["s4"].notes)
    head = f'"Last Name","First Name","Username","Student ID","{TITLE} [Total Pts: 12 Score] |34"\n'
    names = {
        "Müller,Jörg": "jmueller",
        "王,小明": "王小明",
        "Chen,Bo": "bchen",
        "There,Never": "never",
    }
    book = head + "".join(f"{name},{user},,Needs Grading\n" for name, user in names.items())
    upload, done = way.export("blackboard", book)
    text = upload.decode()
    assert text.splitlines()[1:] == [
        "Müller,Jörg,jmueller,,12",
        "王,小明,王小明,,9",
        "Chen,Bo,bchen,,12",
        "There,Never,never,,Needs Grading",
    ]
    lost = "No row in the file, so not exported: evil (Eve), s3 (Ann Berg), words (Only Words)."
    assert lost in done.output and "s5 (Never There) (missing)" in done.output
    assert done.exit_code == 1


def test_brightspace_whose_gradebook_has_other_ids(way):
    """Resubmitted, late, a PDF alone, two of one name; and a folder for each in a second form."""
    files = downloads.BRIGHTSPACE | {
        "504-77 - 小明 王 - Feb 6, 2027 110 AM - softmax.py": downloads.SOFTMAX,
        "505-77 - Anna Muster - Feb 4, 2027 1200 PM - softmax.py": downloads.SOFTMAX,
        "506-77 - Anna Muster - Feb 4, 2027 1201 PM - softmax.py": downloads.SOFTMAX,
        "507-77 - Leo Leer - Feb 4, 2027 100 PM": None,
        "notes.docx": "x",
    }
    rows = way.grade(files, percent_a_day=25)
    found = {student: (row.total, row.status) for student, row in rows.items()}
    assert found == {
        "Jörg Müller_501": (12.0, "graded"),
        "Ann van der Berg_502": (12.0, "graded"),
        "Anne-Marie O'Neil_503": (None, "missing"),
        "小明 王_504": (9.0, "graded"),
        "Anna Muster_505": (12.0, "graded"),
        "Anna Muster_506": (12.0, "graded"),
        "Leo Leer_507": (None, "missing"),
    }
    head = "OrgDefinedId,Username,Last Name,First Name,Email,"
    head += f"{TITLE} Points Grade <Numeric MaxPoints:12>,End-of-Line Indicator\n"
    people = (
        "#90,#jm,Müller,Jörg,",
        "#91,#wx,王,小明,",
        "#92,#am1,Muster,Anna,",
        "#93,#am2,Muster,Anna,",
        "#94,#ao,O'Neil,Anne-Marie,",
    )
    upload, done = way.export("brightspace", head + "".join(f"{p},3,#\n" for p in people))
    assert upload.decode() == (
        f"OrgDefinedId,Username,{TITLE} Points Grade <Numeric MaxPoints:12>,End-of-Line Indicator\n"
        "#90,#jm,12,#\n#91,#wx,9,#\n#92,#am1,3,#\n#93,#am2,3,#\n#94,#ao,3,#\n"
    )
    assert done.exit_code == 1
    assert "Row 4 may belong to Anna Muster_505, Anna Muster_506" in done.output
    assert (
        "Enter the Org Defined ID as the student's id in the roster, and grade again."
        in done.output
    )


def test_repositories_with_a_group_and_an_empty_one(way):
    """Clones by `assignment-user`; a group's is each member's, and an empty one hands in nothing."""
    files = downloads.REPOSITORIES | {
        "attention-1-group-1/.git/HEAD": "ref: refs/heads/main\n",
        "attention-1-group-1/exercises/softmax.py": downloads.SOFTMAX,
        "attention-1-empty/.git/HEAD": "ref: refs/heads/main\n",
    }
    roster = "id,name,email,repositories,team,handed_in\n"
    roster += (
        "s1,Jörg Müller,j@x.org,jmueller,,2027-02-06T10:00:00Z\ns2,Ann Berg,a@x.org,ann-berg,,\n"
    )
    roster += "s3,Bo Chen,,,group 1,\ns4,Lee Park,,,group 1,\ns5,=1+1,,empty,,\n"
    rows = way.grade(files, zipped=False, roster=roster, percent_a_day=25)
    assert {student: (row.total, row.status) for student, row in rows.items()} == {
        "s1": (9.0, "graded"),
        "s2": (12.0, "graded"),
        "s3": (12.0, "graded"),
        "s4": (12.0, "graded"),
        "s5": (None, "missing"),
    }
    upload, done = way.export("feedback")
    with zipfile.ZipFile(io.BytesIO(upload)) as file:
        table = file.read("mail-merge.csv").decode("utf-8-sig").splitlines()
        page = file.read("feedback/s1.html").decode()
    assert table == [
        "id,name,email,section,points,maximum,status,page",
        "s1,Jörg Müller,j@x.org,,9,12,graded,feedback/s1.html",
        "s2,Ann Berg,a@x.org,,12,12,graded,feedback/s2.html",
        "s3,Bo Chen,,,12,12,graded,feedback/s3.html",
        "s4,Lee Park,,,12,12,graded,feedback/s4.html",
        "s5,'=1+1,,,,12,missing,feedback/s5.html",
    ]
    assert "by the roster). This is 1 day late: 25 % are taken off" in page
    assert "No e-mail address is known for: s3 (Bo Chen), s4 (Lee Park)" in done.output
    assert done.exit_code == 0


def test_a_dry_run_says_who_is_who_and_runs_nothing(way, tmp_path):
    files = downloads.put(tmp_path / "in", downloads.BLACKBOARD)
    command = "grade", files, "--out", way.out, "--exercise", "softmax", "--dry-run"
    done = way.run(*command, "-v")
    assert done.exit_code == 0, done.output
    assert not way.out.exists()
    assert "jmueller, Jörg Müller, blackboard, 2027-02-05T23:10:00 (by Blackboard)\n" in done.output
    assert "    softmax: softmax.py\n" in done.output
    assert "Nothing can be graded in the text of the attempt." in done.output
    assert "Note: Read as a download of Blackboard: 4 entries." in done.output
    assert "softmax.py" not in way.run(*command).output


def test_a_dry_run_counts_first_and_says_last_why(way, tmp_path):
    files = {f"s{i:02}/softmax.py": "x = 1\n" for i in range(60)}
    files |= {"new/softmax.py": "x = 1\n", "zoe/slides.pdf": "x", "max/softmax.ipynb": "{"}
    files |= {"tim/softmax.py": "a = 1\n", "tim/old/softmax.py": "b = 1\n"}
    roster = tmp_path / "roster.csv"
    ids = [*(f"s{i:02}" for i in range(60)), "zoe", "max", "tim", "eve"]
    roster.write_text("id\n" + "".join(f"{id}\n" for id in ids))
    folder = downloads.put(tmp_path / "in", files)
    command = "grade", folder, "--out", way.out, "--exercise", "softmax", "--dry-run"
    done = way.run(*command, "--roster", roster)
    lines = done.output.splitlines()
    counted = {words[0]: words[1] for line in lines[2:9] if len(words := line.split()) > 2}
    assert counted == {
        "matched": "60", "unknown": "1", "missing": "2", "unreadable": "1", "ambiguous": "1"
    }  # fmt: skip
    assert len(lines) < 30
    assert "s07" not in done.output and "tim" in done.output and "max" in done.output
    assert lines[-1] == (
        "Exit code 1: someone must look at 1 student ambiguous and 1 student unreadable."
    )
    assert done.exit_code == 1
    assert "s07" in way.run(*command, "--roster", roster, "-v").output
    clear = downloads.put(tmp_path / "clear", {"s1/softmax.py": "x = 1\n", "s2/softmax.py": "x\n"})
    done = way.run("grade", clear, "--out", way.out, "--exercise", "softmax", "--dry-run")
    assert done.output.splitlines()[-1] == "Exit code 0: all is clear."


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("export", "canvas", "x", "--out", "y"), "from canvas (--template)"),
        (("export", "gradescope", "x", "--out", "y"), "Give the folder that you named"),
        (("adjust", "x", "s1", "softmax", "--add", "1"), "Give the folder that you named"),
        (("grade", ".", "--out", "y", "--roster", "none.csv", "--dry-run"), "does not exist"),
    ],
)
def test_errors_say_what_to_do(way, args, said):
    done = CliRunner().invoke(app, list(args))
    assert said in str(done.exception)
