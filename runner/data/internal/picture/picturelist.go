package picture

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/data/internal/table"
)

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
