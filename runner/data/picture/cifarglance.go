package picture

import (
	"path/filepath"

	"drolab/runner/data"
)

// glance leaves the pictures where they lie, in mapped files: it reads these once, for the labels.
func (l CIFAR) glance(d *data.Dataset, folder string, mapped *data.Mapped) error {
	train, test := &imageParts{}, &imageParts{}
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

// imageParts is a source of images in one or several places, each with the same number of images.
type imageParts struct {
	data.Marks
	parts []*data.Images
}

func (s *imageParts) add(part *data.Images) {
	s.parts = append(s.parts, part)
	s.Labels, s.Groups = append(s.Labels, part.Labels...), append(s.Groups, part.Groups...)
}

func (s *imageParts) Shape() data.Shape { return s.parts[0].Dims }

func (s *imageParts) Pixels(_ []byte, i int) []byte {
	each := s.parts[0].Len()
	return s.parts[i/each].Pixels(nil, i%each)
}

func (s *imageParts) Read(dst []float32, i int) { data.ReadPixels(dst, s.Pixels(nil, i)) }
