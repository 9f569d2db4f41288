"""Makes folders of pictures with Pillow, and prints what torchvision and Pillow read of them.

pictures.py tree DIR    a tree with oddities in DIR: the counts of torchvision's ImageFolder, by class
pictures.py webp DIR    lossy and lossless WebP in DIR: the pixels that Pillow reads, by file
pictures.py exif DIR    a picture for each orientation of EXIF and each format that has EXIF data:
                        the pixels that Pillow reads, turned, by file
"""
import json
import os
import sys

import numpy as np
from PIL import Image, ImageOps

SIDE = 28


def smooth(width, height, seed, alpha=False):
    """Returns a picture with gradients, edges and a little noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    bands = [255 * x / width, 255 * y / height, 127 + 127 * np.sin((x + 2 * y) / 5)]
    rgb = np.stack(bands, axis=-1) + rng.normal(0, 6, (height, width, 3))
    rgb[height // 4 : height // 2, width // 3 : width // 2] = [255, 0, 0]
    rgb[height // 2 :, : width // 5] = [255, 255, 255]
    rgb[: height // 5, : width // 5] = [0, 0, 0]
    if alpha:
        rgb = np.concatenate([rgb, 255.0 * (x[..., None] > width / 2)], axis=-1)
    return Image.fromarray(np.clip(rgb, 0, 255).astype("uint8"))


def tree(root):
    from torchvision.datasets import ImageFolder

    away = root + "-away"
    for folder in ["cat/young", "None", "NA", "nan", "-", "bird"]:
        os.makedirs(os.path.join(root, folder))
    os.makedirs(os.path.join(away, "dog", "small"))
    picture = smooth(12, 12, 1)
    for name in ["1.png", "2.JPG", "3.jpeg", "4.bmp", "5.tif", "6.tiff", "7.webp", "young/8.png"]:
        picture.save(os.path.join(root, "cat", name))
    picture.save(os.path.join(root, "cat", "9.gif"))
    picture.save(os.path.join(root, "cat", "10.jfif"), format="JPEG")
    picture.save(os.path.join(root, "cat", "11.ppm"))
    with open(os.path.join(root, "cat", "notes.txt"), "w") as f:
        f.write("no picture")
    for name in ["None", "NA", "nan", "-"]:
        picture.save(os.path.join(root, name, "1.png"))
    for name in ["1.png", "small/2.png"]:
        picture.save(os.path.join(away, "dog", name))
    os.symlink(os.path.join(away, "dog"), os.path.join(root, "dog"))
    os.symlink(os.path.join(away, "dog", "1.png"), os.path.join(root, "bird", "1.png"))
    data = ImageFolder(root)
    counts = {name: data.targets.count(i) for i, name in enumerate(data.classes)}
    print(json.dumps(counts))


def pixels(picture):
    """Returns the square in the middle, as [channel][row][column]."""
    width, height = picture.size
    side = min(width, height)
    left, top = (width - side) // 2, (height - side) // 2
    square = picture.crop((left, top, left + side, top + side))
    return np.asarray(square).transpose(2, 0, 1).ravel().tolist()


def webp(root):
    read = {}
    for name, size, alpha, how in [
        ("even", (64, 64), False, {"quality": 80}),
        ("odd", (33, 33), False, {"quality": 60}),
        ("wide", (47, 30), False, {"quality": 90}),
        ("tall", (30, 47), False, {"quality": 90}),
        ("alpha", (40, 40), True, {"quality": 80}),
        ("lossless", (30, 30), False, {"lossless": True}),
    ]:
        path = os.path.join(root, "a", name + ".webp")
        smooth(*size, seed=2, alpha=alpha).save(path, **how)
        picture = Image.open(path)
        if alpha:
            black = Image.new("RGBA", picture.size, (0, 0, 0, 255))
            picture = Image.alpha_composite(black, picture.convert("RGBA"))
        read["a/" + name + ".webp"] = pixels(picture.convert("RGB"))
    print(json.dumps(read))


def exif(root):
    read = {}
    for format, how in [("jpg", {"quality": 95, "subsampling": 0}), ("png", {}),
                        ("webp", {"lossless": True}), ("tif", {})]:
        for orientation in range(1, 9):
            name = f"a/{orientation}.{format}"
            path = os.path.join(root, name)
            picture = smooth(SIDE + 13, SIDE, seed=3)
            data = picture.getexif()
            data[0x0112] = orientation
            picture.save(path, exif=data, **how)
            read[name] = pixels(ImageOps.exif_transpose(Image.open(path)).convert("RGB"))
    print(json.dumps(read))


{"tree": tree, "webp": webp, "exif": exif}[sys.argv[1]](sys.argv[2])
