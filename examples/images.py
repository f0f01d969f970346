"""Make 1,024 small images and convert each: what Pillow's maintainers measured when they split its memory arena.

Until Pillow 11.1 all threads took image memory out of one arena behind one lock; on free-threaded CPython the threads
waited for that lock. Since then there are eight arenas, dealt to threads in turn
(https://github.com/python-pillow/Pillow/pull/8692 and its follow-up).

Expected: threads keep up with processes on free-threaded CPython with Pillow 12; with the GIL they gain nothing.
``knee compare examples/images.py:operation --with pillow==11.0.0 --with pillow==12.2.0 --python 3.13t`` compares.

Needs Pillow: ``--with pillow==12.2.0``.
"""

from PIL import Image

IMAGES = 1024


def operation():
    images = []
    for i in range(IMAGES):
        color = (i % 256, (i // 256) % 256, (i // 65536) % 256)
        images.append(Image.new("RGB", (100, 100), color=color))
    for image in images:
        image.convert("CMYK")
    images.clear()
