package picture

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"drolab/runner/data"
	"drolab/runner/data/table"
	"drolab/runner/numeral"
)

// pictureOptions lists the options that may follow the folder of pictures:
//
//	size=32            side in pixels of the square in the middle of a picture, once it is resized
//	colour=rgb         or grey
//	orientation=exif   pictures are turned as their EXIF data say; or stored: they are not
//	scale=standard     every channel by mean and deviation of the training split; or none
//	metadata=FILE      a table .csv or .tsv in the folder, or anywhere by an absolute path; by
//	                   default metadata.csv, if it is there
//	file= label= group=A,B split=    the names of its columns; by default these words
//	cells=yes          groups are label × group
//	test_fraction=.2   without splits, this part of every class and group is the test split,
//	data_seed=0        drawn by this seed
//	split_by=A,B       pictures with the same value in one of these columns stay in one split;
//	                   A+B for a combination
func pictureOptions() []string {
	return []string{
		"size", "colour=rgb|grey", "orientation=exif|stored", "scale=standard|none", "metadata",
		"file", "label", "group", "split", "split_by", "cells=no|yes", "test_fraction", "data_seed",
	}
}

// maxSide is the maximum of size=, since larger pictures are not for the networks of this program.
const maxSide = 1024

// pictureSet is a folder of pictures. Either each class has a folder, which may be in folders
// train, val and test, or a table describes the pictures in any folders.
type pictureSet struct {
	data.OwnFiles
	data.Draw
	shape data.Shape
	files []string // paths below the folder
	own   data.Own
	split *data.Factor // nil: it is drawn
	notes []string     // of what was left out

	mapped data.Mapped
}

func PictureFolders() *data.Provider {
	return &data.Provider{
		Name: "images:", Argument: "DIR", Apart: true,
		Purpose: "pictures, one folder per class or metadata.csv: " +
			"images:DIR?size=32&...",
		Open: openPictures,
	}
}

func openPictures(name string, o data.Options) (*data.Dataset, error) {
	s := &pictureSet{}
	var err error
	s.OwnFiles, err = data.ParseOwn(name, "images:", pictureOptions(), o.Encoder)
	if err != nil {
		return nil, err
	}
	if s.Draw, err = s.OwnFiles.Draw(o); err != nil {
		return nil, err
	}
	size := cmp.Or(s.Options["size"], "32")
	side, ok := numeral.Int(size)
	if !ok || side < 1 || side > maxSide {
		return nil, fmt.Errorf("size=%s: give a number of pixels from 1 to %d%s", size, maxSide,
			numeral.Remedy(size))
	}
	s.shape = data.Shape{C: 3, H: side, W: side}
	if s.Choice("colour") == "grey" {
		s.shape.C = 1
	}
	s.own.Cells, s.own.Fitted = s.Cells(), o.Encoder != nil
	if !data.Exists(s.Path) {
		return nil, &data.MissingError{Dataset: s.Name, Path: s.Path, Remedy: "check the path"}
	}
	if err := s.list(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	return s.mapped.Attach(s.read(o))
}

// list finds the pictures with their labels, groups and splits.
func (s *pictureSet) list() error {
	table := s.Options["metadata"]
	if table == "" && data.Exists(filepath.Join(s.Path, "metadata.csv")) {
		table = "metadata.csv"
	}
	if table != "" {
		s.own.ByGroup = true
		return s.readMetadata(table)
	}
	if err := s.RefuseBeside("folders that name the classes", "file", "label", "group",
		"split", "split_by"); err != nil {
		return err
	}
	return s.readFolders()
}

func (s *pictureSet) read(o data.Options) (*data.Dataset, error) {
	d, m, err := s.own.Dataset()
	if err != nil {
		return nil, err
	}
	records, err := s.records(o)
	if err != nil {
		return nil, err
	}
	s.note(records)
	src := &data.Images{Marks: m, Dims: s.shape, Data: records, Stride: s.record()}
	parts, err := s.OwnFiles.Splits(s.split, s.Draw, src, d)
	if err != nil {
		return nil, err
	}
	if err := data.Divide(d, src, parts); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	sum := sha256.New()
	for i := range src.Len() {
		sum.Write(src.Pixels(nil, i))
	}
	fmt.Fprintf(sum, "%q %d %q %d", d.Classes, m.Labels, d.Groups, m.Groups)
	if s.split != nil {
		fmt.Fprintf(sum, "%d", s.split.Codes)
	}
	d.Checksum = data.ChecksumOf(sum)
	d.Notes = append(d.Notes, s.notes...)
	d.Augment, d.Encoder.Options = ownAugment(s.shape), s.Keep()
	if s.Choice("scale") == "standard" && o.Encoder == nil {
		fitScale(d, src, parts.Train, o)
	}
	return d, nil
}

// note says how many pictures are not read as they are stored.
func (s *pictureSet) note(records []byte) {
	if n := s.count(records, turned); n > 0 && s.Choice("orientation") == "exif" {
		s.notes = append(s.notes, fmt.Sprintf("pictures turned or mirrored as their EXIF data "+
			"say: %d of %d; orientation=stored takes them as they are stored", n, len(s.files)))
	} else if n > 0 {
		s.notes = append(s.notes, fmt.Sprintf("pictures taken as they are stored although their "+
			"EXIF data say that they are turned or mirrored: %d of %d", n, len(s.files)))
	}
	if n := s.count(records, transparent); n > 0 {
		s.notes = append(s.notes, fmt.Sprintf("pictures with transparent parts, which become "+
			"black: %d of %d", n, len(s.files)))
	}
}

// fitScale sets the normalisation of d by the training samples of src.
func fitScale(d *data.Dataset, src data.Source, train []uint32, o data.Options) {
	rows := data.FittedTo(o, src, train, d)
	d.Mean, d.Std = channelMoments(data.SubsetOf(src, rows).(data.ImageSource))
}

// ownAugment returns the augmentation of pictures of unknown content: a crop after padding by an
// eighth of the side, 4 of 32 pixels, and mirror images.
func ownAugment(s data.Shape) data.Augment {
	return data.Augment{Pad: min(s.H, s.W) / 8, Flip: true}
}

// channelMoments gives mean and (population) standard deviation of every channel, in units of
// byte/255, from counts, so that they are the same in any order; a deviation of 0 becomes 1.
func channelMoments(src data.ImageSource) (mean, std []float32) {
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

// readMetadata takes the pictures that a table names, relative to the folder, with the label,
// groups and split that it gives for each.
func (s *pictureSet) readMetadata(name string) error {
	path, comma := filepath.Join(s.Path, name), ','
	if filepath.IsAbs(name) {
		path = name
	}
	if filepath.Ext(name) == ".tsv" {
		comma = '\t'
	}
	in, err := data.OpenInput(path)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := table.NewLines(in, comma)
	lines.FieldsPerRecord = 0 // that of the header
	header, _, err := lines.Next()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	t, err := s.metadataColumns(data.Map(header, strings.TrimSpace))
	for err == nil {
		var record []string
		var line int
		if record, line, err = lines.Next(); err == nil {
			err = t.add(record, line, s.Path)
		}
	}
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.files = t.files
	if len(s.files) == 0 {
		return fmt.Errorf("%s: names no pictures", name)
	}
	s.own.Label = t.columns[1].factor()
	s.own.Groups = data.Map(t.columns[2:][:t.groups], (*coded).factor)
	if t.split {
		s.split = t.columns[len(t.columns)-1].factor()
	}
	s.own.Keys = t.keys
	return nil
}

// metadata is a table of pictures: the label, groups and, if there is one, the split.
type metadata struct {
	columns []*coded // the file, the label, the groups and the split
	groups  int
	split   bool
	files   []string
	keys    *data.Keys // of split_by=; nil: it is not given
	places  [][]int    // of the columns of each key
}

func (s *pictureSet) metadataColumns(header []string) (t *metadata, err error) {
	t = &metadata{}
	addColumn := func(key, name string, needed bool) {
		at := data.Place(header, name)
		switch {
		case at >= 0:
			t.columns = append(t.columns, newCoded(name, at))
		case err == nil && (needed || s.Options[key] != ""):
			err = fmt.Errorf(
				"line 1: no column %q: the columns are %q: name it with %s=", name, header, key)
		}
	}
	groups := s.OwnFiles.List("group")
	if groups == nil && slices.Contains(header, "group") {
		groups = []string{"group"}
	}
	addColumn("file", cmp.Or(s.Options["file"], "file"), true)
	addColumn("label", cmp.Or(s.Options["label"], "label"), true)
	for _, name := range groups {
		addColumn("group", name, true)
	}
	before := len(t.columns)
	addColumn("split", cmp.Or(s.Options["split"], "split"), false)
	t.groups, t.split = len(groups), len(t.columns) > before
	if err == nil {
		err = t.setKeys(header, s.Options["split_by"])
	}
	return t, err
}

// setKeys finds the columns of split_by=.
func (t *metadata) setKeys(header []string, asked string) error {
	if asked == "" {
		return nil
	}
	known := func(name string) bool { return data.Place(header, name) >= 0 }
	t.keys = data.NewKeys(asked, known)
	for _, names := range t.keys.Columns() {
		var places []int
		for _, name := range names {
			if !known(name) {
				return fmt.Errorf("line 1: split_by=%s: no column %q: the columns are %q", asked,
					name, header)
			}
			places = append(places, data.Place(header, name))
		}
		t.places = append(t.places, places)
	}
	return nil
}

// addKeys adds the keys of a line.
func (t *metadata) addKeys(record []string, line int) error {
	for i, places := range t.places {
		var cells []string
		for _, at := range places {
			cell := strings.TrimSpace(record[at])
			if table.MissingValue(cell) {
				return fmt.Errorf("line %d: %q is a missing value, and split_by= needs a value: "+
					"take the line out", line, cell)
			}
			cells = append(cells, cell)
		}
		t.keys.Add(i, cells...)
	}
	return nil
}

// add takes a line. The path in it starts in the folder, or is absolute and leads there.
func (t *metadata) add(record []string, line int, folder string) error {
	cell := strings.TrimSpace(record[t.columns[0].place])
	file := cell
	if absolute, err := filepath.Abs(folder); err == nil && filepath.IsAbs(cell) {
		file = strings.TrimPrefix(cell, absolute+string(filepath.Separator))
	}
	if !filepath.IsLocal(file) {
		return fmt.Errorf("line %d: %q is not a path below the folder: name the folder that has "+
			"all the pictures", line, cell)
	}
	t.files = append(t.files, file)
	if label := t.columns[1]; strings.TrimSpace(record[label.place]) == "" {
		return fmt.Errorf("line %d: no %q: fill it in, or take the line out", line, label.Name)
	}
	for _, c := range t.columns[1:] {
		if err := c.add(strings.TrimSpace(record[c.place]), line); err != nil {
			return err
		}
	}
	return t.addKeys(record, line)
}

// coded is a property of the pictures, such as their label, while it is read.
type coded struct {
	table.Column
	place int // the place of its column in a table
	codes []uint16
}

func newCoded(name string, at int) *coded {
	return &coded{Column: *table.NewColumn(name, true), place: at}
}

func (c *coded) add(cell string, line int) error {
	code, err := c.Column.Add(cell, line)
	c.codes = append(c.codes, uint16(code))
	return err
}

func (c *coded) factor() *data.Factor { return data.NewFactor(c.Name, c.Dict, c.codes) }

// glance leaves the pictures where they lie, in mapped files: it reads these once, for the labels.
func (l CIFAR) glance(d *data.Dataset, folder string, mapped *data.Mapped) error {
	train, test := &scattered{}, &scattered{}
	d.Train, d.Test = train, test
	for _, name := range l.Files() {
		path := filepath.Join(folder, name)
		b, err := l.mapPart(path, mapped)
		if err != nil {
			return err
		}
		if err := l.checkLabels(b); err != nil {
			return l.damage(path, err)
		}
		if name == l.test {
			test.add(l.images(b))
		} else {
			train.add(l.images(b))
		}
	}
	return nil
}

// mapPart maps a file of the right size.
func (l CIFAR) mapPart(path string, mapped *data.Mapped) ([]byte, error) {
	f, err := l.openPart(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := l.checkSize(f.Size); err != nil {
		return nil, l.damage(path, err)
	}
	return mapped.Map(f)
}

// scattered is a source of images in one or several places, each with the same number of images.
type scattered struct {
	data.Marks
	parts []*data.Images
}

func (s *scattered) add(part *data.Images) {
	s.parts = append(s.parts, part)
	s.Labels, s.Groups = append(s.Labels, part.Labels...), append(s.Groups, part.Groups...)
}

func (s *scattered) Shape() data.Shape { return s.parts[0].Dims }

func (s *scattered) Pixels(_ []byte, i int) []byte {
	each := s.parts[0].Len()
	return s.parts[i/each].Pixels(nil, i%each)
}

func (s *scattered) Read(dst []float32, i int) { data.ReadPixels(dst, s.Pixels(nil, i)) }
