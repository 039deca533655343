#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image.  After it, grading needs no network.
#
# GRADE_PACKAGES: a folder of installed packages to use instead of downloading them.
set -euo pipefail
umask 022
cd "$(dirname "$0")"
kit=/autograder/kit

if [ -z "${GRADE_PACKAGES:-}" ]; then
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3 python3-venv python3-pip
fi
python="${PYTHON:-python3}"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or later is needed: choose Ubuntu 22.04 or later")'
"$python" -m venv "$kit"

if [ -z "${GRADE_PACKAGES:-}" ]; then
    # the build of torch for processors without a GPU: a tenth of the size
    "$kit/bin/python" -m pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu "torch==@TORCH@"
    "$kit/bin/python" -m pip install --no-cache-dir @WHEEL@
else
    "$kit/bin/python" -m pip install --no-cache-dir --no-index --no-deps @WHEEL@
    packages=$("$kit/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    echo "$GRADE_PACKAGES" > "$packages/others.pth"
fi

# Submissions run as a user that owns nothing.  What is hidden is closed to it, whatever the kernel can do.
grader=$("$kit/bin/python" -I -c 'import os, grader; print(os.path.dirname(grader.__file__))')
chmod -R go-rwx "$grader" /autograder/source

"$kit/bin/python" -I -m grader.export.harness --try
