"""The course: a folder of submissions, their marks, and what the class has misunderstood.

How a batch goes, and which module holds which part of it::

    intake.py      find_submissions(folder, mapping=None) -> list[Handed]
    classroom.py   what stands before the logins in the names of GitHub Classroom's folders
    trees.py       tree_of(handed) -> Tree                every file, in zips too (zips.py)
    choosing.py    choose(tree, exercises) -> Chosen      which of them count, and what was left aside
    contents.py    read_contents(handed, exercises) -> Contents    those, as bytes
                   Contents: files ((name, bytes), ...), links (names), problem (Text | None), by_kit, notes
    settings.py    GradingSettings(exercises, budget)     what a report depends on beside the contents
                   digest_of(contents, settings) -> str   holds kit_digest(): an edited kit grades anew
    grading.py     grade_one(contents, settings, session) -> Graded
                   Graded: report (Report | None), problem (Text | None), by_kit, seconds
    storing.py     graded_to_bytes(graded), graded_from_bytes(data): compressed JSON, both languages,
                   for the store and for other machines; never a pickle
    store.py       Store(path): enter(entries), waiting(), started(digest, worker),
                   finished(digest, graded), rows(); the parent alone opens it
    runner.py      run_locally(jobs, settings, listener, workers=N)
    jobs.py        Job(digest, handed).contents(); Listener: started(digest, worker),
                   finished(digest, graded, worker)
    rules.py       read_course(path) -> Course            course.toml (docs/course.md)
    marks.py       mark(row, course) -> Mark              points per exercise, late days, final mark
    statistics.py  class_statistics(marks, course, ...) -> ClassStatistics
    outputs.py     everything under OUT/
    batch.py       grade_batch(...): all of it in order
    cluster.py     ClusterSpread(address): jobs on the machines of a Dask cluster
    similar/       submissions that are alike

What crosses to a grader is `Contents` (bytes, no paths) and `GradingSettings`, and what comes back is the
bytes of a `Graded`: any process (or machine) that has the kit can do the work, and whatever spreads it
reports to the same `Listener`.  Submissions with the same digest are one job; a report knows no student's
name, which is put in when pages are written.
"""
