package picture

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"drolab/runner/data"
	"drolab/runner/data/table"
	"drolab/runner/lists"
)

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
	lines := table.NewCSVLines(in, comma)
	lines.FieldsPerRecord = 0 // that of the header
	header, _, err := lines.Next()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	t, err := s.metadataColumns(lists.Map(header, strings.TrimSpace))
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
	s.own.Groups = lists.Map(t.columns[2:][:t.groups], (*codedColumn).factor)
	if t.split {
		s.split = t.columns[len(t.columns)-1].factor()
	}
	s.own.Keys = t.keys
	return nil
}

// metadata is a table of pictures: the label, groups and, if there is one, the split.
type metadata struct {
	columns []*codedColumn // the file, the label, the groups and the split
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
			t.columns = append(t.columns, newCodedColumn(name, at))
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

// codedColumn is a property of the pictures, such as their label, while it is read.
type codedColumn struct {
	table.Column
	place int // the place of its column in a table
	codes []uint16
}

func newCodedColumn(name string, at int) *codedColumn {
	return &codedColumn{Column: *table.NewColumn(name, true), place: at}
}

func (c *codedColumn) add(cell string, line int) error {
	code, err := c.Column.Add(cell, line)
	if err != nil {
		return err
	}
	c.codes = append(c.codes, uint16(code))
	return nil
}

func (c *codedColumn) factor() *data.Factor { return data.NewFactor(c.Name, c.Dict, c.codes) }
