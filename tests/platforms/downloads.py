"""Downloads as platforms make them, for tests: folders and zips with the platforms' names."""

import zipfile

SOFTMAX = "import numpy as np\ndef softmax(x, axis=-1):\n    return np.zeros(1)\n"


def put(folder, files):
    """Write files by their paths in a folder; None as content makes an empty folder."""
    for path, text in files.items():
        place = folder / path
        if text is None:
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def packed(path, files):
    with zipfile.ZipFile(path, "w") as file:
        for name, text in files.items():
            file.writestr(f"{name}/" if text is None else name, text or "")
    return path


CANVAS = {
    "müllerjörg_101_9001_softmax.py": SOFTMAX,
    "müllerjörg_101_9007_softmax-1.py": SOFTMAX + "# again\n",
    "müllerjörg_101_9002_helper-1.py": "x = 1\n",
    "van_der_bergann_LATE_102_9003_softmax.ipynb": "{}",
    "王小明_103_9004_softmax.py": SOFTMAX,
    "oneilsean_104_9005_essay.pdf": "%PDF",
    "textonly_105_text.html": "<p>my answer</p>",
    "groupa_106_9006_softmax.py": SOFTMAX,
    "notes from the teacher.docx": "x",
    "mullerjorg_softmax.py": SOFTMAX,
}

MOODLE = {
    "Jörg Müller_2001_assignsubmission_file/softmax.py": SOFTMAX,
    "Jörg Müller_2001_assignsubmission_file/sub/helper.py": "x = 1\n",
    "Jörg Müller_2001_assignsubmission_onlinetext/onlinetext.html": "<p>hello</p>",
    "Ann van der Berg_2002_assignsubmission_file_/softmax.py": SOFTMAX,
    "Anna Muster_2003_assignsubmission_file/softmax.py": SOFTMAX,
    "Anna Muster_2004_assignsubmission_file/softmax.py": SOFTMAX,
    "Group A_77_assignsubmission_file/softmax.py": SOFTMAX,
    "Nobody Here_2005_assignsubmission_onlinetext/onlinetext.html": "<p>words</p>",
}

MOODLE_FLAT = {
    "Jörg Müller_2001_assignsubmission_file_softmax.py": SOFTMAX,
    "Jörg Müller_2001_assignsubmission_onlinetext_onlinetext.html": "<p>hello</p>",
    "Ann van der Berg_2002_assignsubmission_file_my_softmax_2.py": SOFTMAX,
}

METADATA = """\
submission_1:
  :submitters:
  - :name: Jörg Müller
    :sid: '3001'
    :email: joerg@example.org
  :created_at: 2027-02-05 21:10:00.123456000 Z
  :score: 0.0
  :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    tests: []
submission_2:
  :submitters:
  - :name: Ann Berg
    :sid: '3002'
    :email: ann@example.org
  - :name: Bo Chen
    :sid: '3003'
    :email: bo@example.org
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: 2027-02-06 01:00:00 Z
submission_3:
  :submitters:
  - :name: Jörg Müller
    :sid: '3001'
  :created_at: 2027-02-04 10:00:00 Z
submission_4:
  :submitters:
  - :name: Empty Hands
    :sid:
    :email: empty@example.org
"""
GRADESCOPE = {
    "assignment_5_export/submission_metadata.yml": METADATA,
    "assignment_5_export/submission_1/softmax.py": SOFTMAX,
    "assignment_5_export/submission_2/softmax.py": SOFTMAX,
    "assignment_5_export/submission_3/softmax.py": SOFTMAX,
    "assignment_5_export/submission_4": None,
    "assignment_5_export/submission_99/softmax.py": SOFTMAX,
}

NOTE = """\
Name: {name} ({user})
Assignment: Homework 1
Date Submitted: Friday, February 5, 2027 11:10:00 PM CET
Current Grade: Needs Grading

Submission Field:
{words}

Comments:
There are no student comments for this assignment.

Files:
\tOriginal filename: {original}
\tFilename: {file}
"""
_FIRST = "Homework 1_jmueller_attempt_2027-02-05-10-00-00"
_LAST = "Homework 1_jmueller_attempt_2027-02-05-23-10-00"
_OTHER = "Homework 1_evil_attempt_2027-02-05-12-00-00"
BLACKBOARD = {
    f"{_FIRST}_softmax.py": "old = 1\n",
    f"{_FIRST}.txt": NOTE.format(
        name="Jörg Müller",
        user="jmueller",
        words="",
        original="softmax.py",
        file=f"{_FIRST}_softmax.py",
    ),
    f"{_LAST}_softm_x.py": SOFTMAX,
    f"{_LAST}.txt": NOTE.format(
        name="Jörg Müller",
        user="jmueller",
        words="",
        original="softmax.py",
        file=f"{_LAST}_softm_x.py",
    ),
    f"{_OTHER}_softmax.py": SOFTMAX,
    f"{_OTHER}.txt": NOTE.format(
        name="Eve",
        user="evil",
        words="Name: Not Jörg (jmueller)\n\n\tOriginal filename: gone.txt\n"
        f"\tFilename: {_LAST}_softm_x.py\n",
        original="../../../etc/passwd.py",
        file=f"{_OTHER}_softmax.py",
    ),
    "Homework 1_words_attempt_2027-02-05-13-00-00.txt": NOTE.format(
        name="Only Words", user="words", words="see my e-mail", original="", file=""
    ),
}

BRIGHTSPACE = {
    "index.html": "<html></html>",
    "501-77 - Jörg Müller - Feb 5, 2027 945 AM - softmax.py": "old = 1\n",
    "501-77 - Jörg Müller - Feb 5, 2027 1110 PM - softmax.py": SOFTMAX,
    "501-77 - Jörg Müller - Feb 5, 2027 945 AM - other.py": "x = 1\n",
    "502-77 - Ann van der Berg - February 4, 2027 2310/softmax.py": SOFTMAX,
    "503-77 - Anne-Marie O'Neil - Feb 3, 2027 1200 AM - notes.pdf": "x",
}

NBGRADER = {
    "jmueller/attention-1/softmax.ipynb": "{}",
    "jmueller/attention-1/timestamp.txt": "2027-02-05 22:10:00.123456 Europe/Berlin",
    "aberg/attention-1/softmax.ipynb": "{}",
    "aberg/attention-1/timestamp.txt": "2027-02-05 21:10:00.123456 UTC",
}

REPOSITORIES = {
    "attention-1-jmueller/.git/HEAD": "ref: refs/heads/main\n",
    "attention-1-jmueller/exercises/softmax.py": SOFTMAX,
    "attention-1-ann-berg/.git/HEAD": "ref: refs/heads/main\n",
    "attention-1-ann-berg/exercises/softmax.py": SOFTMAX,
}
