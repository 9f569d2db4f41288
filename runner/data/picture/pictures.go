package picture

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"drolab/runner/data"
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

// ownAugment returns the augmentation of pictures of unknown content: a crop after padding by an
// eighth of the side, 4 of 32 pixels, and mirror images.
func ownAugment(s data.Shape) data.Augment {
	return data.Augment{Pad: min(s.H, s.W) / 8, Flip: true}
}
