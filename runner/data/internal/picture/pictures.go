package picture

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/data/internal/table"
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

// endings returns the file name endings of the pictures that can be read.
func endings() []string { return []string{".png", ".jpg", ".jpeg", ".webp"} }

var errNoPictures = errors.New("holds no pictures (.png, .jpg, .jpeg, .webp) in folders that " +
	"name their classes, and no metadata.csv")

func isSplit(name string) bool {
	return slices.Contains([]string{"train", "val", "valid", "validation", "test"}, name)
}

// readFolders takes every picture in a folder of a class: DIR/cat/1.png, or DIR/train/cat/1.png.
func (s *pictureSet) readFolders() error {
	label, split := newCoded("label"), newCoded("split")
	top, err := folders(s.Path)
	if err != nil {
		return err
	}
	parted := len(top) > 0 && !slices.ContainsFunc(top,
		func(name string) bool { return !isSplit(name) })
	under := map[string][]string{"": top}
	if parted {
		under = map[string][]string{}
		for _, part := range top {
			if under[part], err = folders(filepath.Join(s.Path, part)); err != nil {
				return err
			}
		}
	} else {
		top = []string{""}
	}
	for _, part := range top {
		for _, class := range under[part] {
			err = s.readClass(part, class, label, split)
			if err != nil {
				return err
			}
		}
	}
	if len(s.files) == 0 {
		return errNoPictures
	}
	s.of.Label = label.factor()
	if parted {
		f := split.factor()
		s.split = &f
	}
	return nil
}

// readClass takes the pictures of one folder.
func (s *pictureSet) readClass(part, class string, label, split *coded) error {
	entries, err := os.ReadDir(filepath.Join(s.Path, part, class))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") ||
			!slices.Contains(endings(), strings.ToLower(filepath.Ext(e.Name()))) {
			continue
		}
		s.files = append(s.files, path.Join(part, class, e.Name()))
		err := label.add(class, len(s.files))
		if err == nil && part != "" {
			err = split.add(part, len(s.files))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// folders lists the folders in dir in the order of their names, without hidden ones.
func folders(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if err := dataset.Named(e.Name()); err != nil {
			return nil, err
		}
		names = append(names, e.Name())
	}
	return names, err
}

// readMetadata takes the pictures that a table names, relative to the folder, with the label,
// groups and split that it gives for each.
func (s *pictureSet) readMetadata(name string) error {
	in, err := dataset.OpenInput(filepath.Join(s.Path, name))
	if err != nil {
		return err
	}
	defer in.Close()
	allowed := &dataset.Allowance{Reader: dataset.NewText(in), Left: dataset.MaxRecord}
	cr := csv.NewReader(bufio.NewReader(allowed))
	cr.TrimLeadingSpace = true
	header, err := cr.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", name, table.CSVError(err))
	}
	t, err := s.metadataColumns(header)
	for err == nil {
		allowed.Left = dataset.MaxRecord
		var record []string
		if record, err = cr.Read(); err == nil {
			line, _ := cr.FieldPos(0)
			err = t.add(record, line)
		} else if !errors.Is(err, io.EOF) {
			err = table.CSVError(err)
		}
	}
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.files = t.files
	if len(s.files) == 0 {
		return fmt.Errorf("%s: names no pictures", name)
	}
	s.of.Label = t.columns[0].factor()
	for _, c := range t.columns[1 : 1+t.groups] {
		s.of.Groups = append(s.of.Groups, c.factor())
	}
	if t.split {
		f := t.columns[len(t.columns)-1].factor()
		s.split = &f
	}
	return nil
}

// metadata is a table of pictures: the label, groups and, if there is one, the split.
type metadata struct {
	file    int
	at      []int
	columns []*coded
	groups  int
	split   bool
	files   []string
}

func (s *pictureSet) metadataColumns(header []string) (*metadata, error) {
	for i := range header {
		header[i] = strings.TrimSpace(strings.TrimPrefix(header[i], "\ufeff"))
	}
	find := func(key string, needed bool) (int, error) {
		name := cmp.Or(s.Options[key], key)
		at := slices.Index(header, name)
		if at < 0 && (needed || s.Options[key] != "") {
			return at, fmt.Errorf(
				"line 1: no column %q: the columns are %q: name it with %s=", name, header, key)
		}
		return at, nil
	}
	t := &metadata{}
	take := func(at int, name string) {
		t.at, t.columns = append(t.at, at), append(t.columns, newCoded(name))
	}
	var err error
	if t.file, err = find("file", true); err != nil {
		return nil, err
	}
	label, err := find("label", true)
	if err != nil {
		return nil, err
	}
	take(label, header[label])
	groups := s.OwnFiles.List("group")
	if groups == nil && slices.Contains(header, "group") {
		groups = []string{"group"}
	}
	for _, name := range groups {
		at := slices.Index(header, name)
		if at < 0 {
			return nil, fmt.Errorf("line 1: no column %q: the columns are %q", name, header)
		}
		take(at, name)
	}
	t.groups = len(groups)
	split, err := find("split", false)
	if t.split = split >= 0; t.split {
		take(split, header[split])
	}
	return t, err
}

func (t *metadata) add(record []string, line int) error {
	file := strings.TrimSpace(record[t.file])
	if !filepath.IsLocal(file) {
		return fmt.Errorf("line %d: %q is not a path below the folder", line, file)
	}
	t.files = append(t.files, file)
	for i, c := range t.columns {
		if err := c.add(strings.TrimSpace(record[t.at[i]]), line); err != nil {
			return err
		}
	}
	return nil
}

// coded is a property of the pictures, such as their label, while it is read.
type coded struct {
	table.Column
	codes []uint16
}

func newCoded(name string) *coded { return &coded{Column: *table.NewColumn(name, true)} }

func (c *coded) add(cell string, line int) error {
	if table.MissingValue(cell) {
		cell = ""
	}
	code, err := c.Column.Add(cell, line)
	c.codes = append(c.codes, uint16(code))
	return err
}

func (c *coded) factor() dataset.Factor { return dataset.NewFactor(c.Name, c.Dict, c.codes) }

// glance leaves the pictures where they lie: it reads the files once, for their labels, and then
// one record at a time.
func (l CIFAR) glance(d *dataset.Dataset, folder string) error {
	var parts []*filed
	d.Release = func() error {
		var errs []error
		for _, p := range parts {
			errs = append(errs, p.file.Close())
		}
		return errors.Join(errs...)
	}
	for _, name := range l.Files() {
		path := filepath.Join(folder, name)
		f, err := l.openPart(path)
		if err != nil {
			return errors.Join(err, d.Close())
		}
		part := &filed{*l.images(nil, 0), f}
		parts = append(parts, part)
		if part.Labels, err = l.readLabels(f); err != nil {
			return errors.Join(l.damaged(path, err), d.Close())
		}
	}
	last := len(parts) - 1
	d.Train, d.Test = joined(parts[:last]), parts[last]
	return nil
}

// readLabels reads the labels of a file, a few records at a time: a buffer that stays in the
// processor's cache is several times as fast as one for the whole file.
func (l CIFAR) readLabels(f *dataset.Input) (labels []byte, err error) {
	if err := l.measured(f.Size); err != nil {
		return nil, err
	}
	records := make([]byte, 50*l.record())
	for left := f.Size; left > 0; {
		b := records[:min(left, int64(len(records)))]
		if _, err := io.ReadFull(f, b); err != nil {
			return nil, err
		}
		if err := l.labelled(b, len(labels)); err != nil {
			return nil, err
		}
		labels = append(labels, l.images(b, 0).Labels...)
		left -= int64(len(b))
	}
	return labels, nil
}

// filed is a source of the images in a file, with only their labels in memory.
type filed struct {
	dataset.Images
	file *dataset.Input
}

func (s *filed) Pixels(buf []byte, i int) []byte {
	buf = append(buf[:0], make([]byte, s.Dims.Len())...)
	if _, err := s.file.ReadAt(buf, int64(i*s.Stride+s.Skip)); err != nil {
		panic(lost{})
	}
	return buf
}

func (s *filed) Read(dst []float32, i int) { dataset.ReadPixels(dst, s.Pixels(nil, i)) }

// lost is the value with which reading a sample panics if its record is no longer there. It looks
// like a fault in a mapped file.
type lost struct{}

func (lost) Error() string { return "a file of the data was cut" }
func (lost) Addr() uintptr { return math.MaxUint }

// joined is a source of the images in several files, each with the same number of images.
type joined []*filed

func (s joined) at(i int) (part *filed, of int) {
	each := s[0].Len()
	return s[i/each], i % each
}

func (s joined) Len() int             { return len(s) * s[0].Len() }
func (s joined) Shape() dataset.Shape { return s[0].Shape() }

func (s joined) Label(i int) int {
	part, of := s.at(i)
	return part.Label(of)
}

func (s joined) Group(i int) int { return s.Label(i) }

func (s joined) Pixels(buf []byte, i int) []byte {
	part, of := s.at(i)
	return part.Pixels(buf, of)
}

func (s joined) Read(dst []float32, i int) {
	part, of := s.at(i)
	part.Read(dst, of)
}
