package picture

import (
	"errors"
	"io"
	"math"
	"path/filepath"

	"drolab/runner/data/internal/dataset"
)

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
