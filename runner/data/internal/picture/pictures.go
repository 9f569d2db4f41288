package picture

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"drolab/runner/data/internal/dataset"
)

// pictureOptions lists the options that may follow the folder of pictures:
//
//	size=32            side in pixels of the square in the middle of a picture, once it is resized
//	colour=rgb         or grey
//	scale=standard     every channel by mean and deviation of the training split; or none
//	metadata=FILE      a table in the folder, by default metadata.csv if it is there, with the
//	file= label= group=A,B split=    the names of its columns; by default these words
//	cells=yes          groups are label × group
//	test_fraction=.2   without splits, this part of every class and group is the test split,
//	data_seed=0        drawn by this seed
func pictureOptions() []string {
	return []string{
		"size", "colour", "scale", "metadata", "file", "label", "group", "split", "cells",
		"test_fraction", "data_seed",
	}
}

// maxSide is the maximum of size=, since larger pictures are not for the networks of this program.
const maxSide = 1024

// pictureSet is a folder of pictures. Either each class has a folder, which may be in folders
// train, val and test, or a table describes the pictures in any folders.
type pictureSet struct {
	dataset.OwnFiles
	dataset.Draw
	shape dataset.Shape
	files []string // paths below the folder
	of    dataset.Own
	split *dataset.Factor // nil: it is drawn
}

func PictureFolders() *dataset.Provider {
	return &dataset.Provider{
		Name: "images:", Argument: "DIR", Apart: true,
		Purpose: "pictures (PNG, JPEG, WebP), one folder per class or metadata.csv: " +
			"images:DIR?size=32&...",
		Open:   openPictures,
		Locate: dataset.Locate("images:"),
	}
}

func openPictures(name string, o dataset.Options) (*dataset.Dataset, error) {
	s, err := parsePictures(name, o)
	if err != nil {
		return nil, err
	}
	if !dataset.Exists(s.Path) {
		return nil, &dataset.MissingError{Dataset: s.Name, Path: s.Path, Remedy: "check the path"}
	}
	if err := s.list(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	return s.open(o)
}

func parsePictures(name string, o dataset.Options) (s *pictureSet, err error) {
	s = &pictureSet{}
	if s.OwnFiles, err = dataset.ParseOwn(name, "images:", pictureOptions()); err != nil {
		return nil, err
	}
	s.Inherit(o.Encoder)
	if s.Draw, err = s.OwnFiles.Draw(o); err != nil {
		return nil, err
	}
	side, err := strconv.Atoi(cmp.Or(s.Options["size"], "32"))
	if err != nil || side < 1 || side > maxSide {
		return nil, fmt.Errorf("size=%s: give a number of pixels from 1 to %d", s.Options["size"],
			maxSide)
	}
	colour, err := s.Choice("colour", "rgb", "grey")
	if err != nil {
		return nil, err
	}
	s.shape = dataset.Shape{C: 3, H: side, W: side}
	if colour == "grey" {
		s.shape.C = 1
	}
	s.of.Cells, err = s.OwnFiles.Cells()
	s.of.Fitted = o.Encoder != nil
	return s, err
}

// list finds the pictures with their labels, groups and splits.
func (s *pictureSet) list() error {
	table := s.Options["metadata"]
	if table == "" && dataset.Exists(filepath.Join(s.Path, "metadata.csv")) {
		table = "metadata.csv"
	}
	if table != "" {
		s.of.ByGroup = true
		return s.readMetadata(table)
	}
	if err := s.Useless("folders that name the classes", "file", "label", "group",
		"split"); err != nil {
		return err
	}
	return s.readFolders()
}

func (s *pictureSet) open(o dataset.Options) (*dataset.Dataset, error) {
	d, m, err := s.of.Dataset()
	if err != nil {
		return nil, err
	}
	if len(d.Classes) > 256 {
		return nil, fmt.Errorf("%d classes: at most 256 are taken of pictures", len(d.Classes))
	}
	p, err := s.pixels(o.Dir)
	if err != nil {
		return nil, err
	}
	d.Release, d.Mapped = p.release, p.mapped
	if err := s.fill(d, m, p.bytes, o); err != nil {
		d.Close() // the first error is the one to tell
		return nil, err
	}
	return d, nil
}

// fill gives d its splits, checksum and normalisation.
func (s *pictureSet) fill(d *dataset.Dataset, m dataset.Marks, pixels []byte,
	o dataset.Options) error {
	src := &dataset.Images{Dims: s.shape, Data: pixels, Stride: s.shape.Len(), Labels: make([]byte,
		m.Len()),
		Groups: m.Groups}
	for i, c := range m.Labels {
		src.Labels[i] = byte(c)
	}
	parts, err := s.splits(src, d)
	if err != nil {
		return err
	}
	if err := dataset.Divide(d, src, parts); err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	sum := sha256.New()
	sum.Write(pixels)
	fmt.Fprintf(sum, "%q %d %q %d", d.Classes, m.Labels, d.Groups, m.Groups)
	if s.split != nil {
		fmt.Fprintf(sum, "%d", s.split.Codes)
	}
	d.Checksum = dataset.ChecksumOf(sum)
	d.Augment, d.Encoder.Options = ownAugment(s.shape), s.Keep()
	scale, err := s.Choice("scale", "standard", "none")
	if err == nil && scale == "standard" && o.Encoder == nil {
		d.Mean, d.Std = channelMoments(dataset.SubsetOf(src, dataset.FittedTo(o, src, parts.Train,
			d)).(dataset.ImageSource))
	}
	return err
}

func (s *pictureSet) splits(src dataset.Marked, d *dataset.Dataset) (dataset.Splits, error) {
	if s.split == nil {
		return s.Draw.Splits(src, d)
	}
	if err := s.Useless("a split", "test_fraction", "data_seed"); err != nil {
		return dataset.Splits{}, err
	}
	return dataset.SplitBy(*s.split)
}

// ownAugment returns the augmentation of pictures of unknown content: a crop after padding by an
// eighth of the side, 4 of 32 pixels, and mirror images.
func ownAugment(s dataset.Shape) dataset.Augment {
	return dataset.Augment{Pad: min(s.H, s.W) / 8, Flip: true}
}

// channelMoments gives mean and (population) standard deviation of every channel, in units of
// byte/255, from counts, so that they are the same in any order; a deviation of 0 becomes 1.
func channelMoments(src dataset.ImageSource) (mean, std []float32) {
	shape := src.Shape()
	per := shape.H * shape.W
	var count [3][256]int
	buf := make([]byte, shape.Len())
	for i := range src.Len() {
		p := src.Pixels(buf, i)
		for c := range min(shape.C, len(count)) {
			for _, v := range p[c*per : (c+1)*per] {
				count[c][v]++
			}
		}
	}
	for c := range min(shape.C, len(count)) {
		m, s := momentsOf(&count[c])
		mean, std = append(mean, m), append(std, s)
	}
	return mean, std
}

func momentsOf(count *[256]int) (mean, std float32) {
	n, sum, squares := 0, 0, 0
	for v, k := range count {
		n, sum, squares = n+k, sum+v*k, squares+v*v*k
	}
	m := float64(sum) / float64(n)
	variance := float64(squares)/float64(n) - float64(m*m)
	if std = float32(math.Sqrt(variance) / 255); !(std > 0) {
		std = 1
	}
	return float32(m / 255), std
}

// hashName is a name for a file that depends on everything written to it.
func hashName(write func(w io.Writer)) string {
	h := sha256.New()
	write(h)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// endings returns the file name endings of the pictures that can be read.
func endings() []string { return []string{".png", ".jpg", ".jpeg", ".webp"} }

var errNoPictures = errors.New("holds no pictures (.png, .jpg, .jpeg, .webp) in folders that " +
	"name their classes, and no metadata.csv")

func isSplit(name string) bool {
	return slices.Contains([]string{"train", "val", "valid", "validation", "test"}, name)
}
