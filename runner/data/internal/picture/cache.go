package picture

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"path/filepath"
	"sync"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/internal/aside"
	"drolab/runner/internal/room"

	resize "golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

// mostPixels is the maximum number of pixels of a picture, which is decoded whole: 256 MB.
const mostPixels = 64 << 20

// A cache of resized pictures is cacheMagic, the SHA-256 of the pixels, and the pixels, sample
// after sample.
const cacheMagic = "drolab pictures 1\n"

// pixels returns the pictures, [N][C][H][W], from the cache in the data folder, and makes the cache
// if it is not there. Each state of the files, given by their names, sizes and times, has its own
// cache. If the folder cannot be written to, the pictures are in memory alone.
func (s *pictureSet) pixels(o dataset.Options) ([]byte, error) {
	key, err := s.cacheKey()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(o.Dir, "pictures", key)
	if b, err := s.readCache(path); err == nil {
		return b, nil
	}
	os.Remove(path) // a damaged one
	kept, err := s.makeCache(path, &counter{of: len(s.files), tell: o.Progress})
	if err != nil {
		return nil, err
	}
	if kept {
		if b, err := s.readCache(path); err == nil {
			return b, nil
		}
	}
	return s.decodeAll(&counter{of: len(s.files), tell: o.Progress})
}

// counter counts the pictures that are decoded, and tells of each.
type counter struct {
	mu       sync.Mutex
	done, of int
	tell     func(done, of int) error // nil: nobody is told
	err      error                    // of tell: the reading ends
}

// add counts n more pictures, on any goroutine. It returns an error if the reading is to end.
func (c *counter) add(n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	if c.err == nil && c.tell != nil {
		c.err = c.tell(c.done, c.of)
	}
	return c.err
}

// ended returns an error if the reading is to end.
func (c *counter) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// While pictures are decoded, each part of them is kept in a file of the folder KEY.parts, beside
// the cache KEY that is to be: the SHA-256 of the part's pixels, then the pixels. An interrupted
// reading loses no more than the part under way. Several processes may decode the same pictures:
// their parts have the same bytes.
const (
	mostInPart   = 64       // pictures
	mostPartSize = 32 << 20 // bytes of pixels, since a part is in memory as a whole
)

// makeCache decodes the pictures part by part, takes the parts that an earlier reading has left,
// and makes the cache of them. It reports whether there is a cache: not if it cannot be written.
func (s *pictureSet) makeCache(path string, c *counter) (kept bool, err error) {
	size := s.shape.Len()
	per := min(mostInPart, max(1, mostPartSize/size), len(s.files))
	if err := room.Ask(float64(per*size), "decoding the pictures"); err != nil {
		return false, err
	}
	if err := c.add(0); err != nil {
		return false, err
	}
	folder, buffer, sum := path+".parts", make([]byte, per*size), sha256.New()
	if os.MkdirAll(folder, 0o777) != nil {
		return false, nil
	}
	for from := 0; from < len(s.files); from += per {
		n := min(per, len(s.files)-from)
		part, name := buffer[:n*size], partName(folder, from/per)
		if readPart(name, part) == nil {
			err = c.add(n)
		} else if err = s.decodeSome(part, s.files[from:from+n], c); err == nil {
			if writePart(name, part) != nil {
				return dataset.Exists(path), nil // another process may have been quicker
			}
		}
		if err != nil {
			return false, err
		}
		sum.Write(part)
	}
	err = aside.Write(path, func(w io.Writer) error {
		_, err := w.Write(sum.Sum([]byte(cacheMagic)))
		for from := 0; from < len(s.files) && err == nil; from += per {
			part := buffer[:min(per, len(s.files)-from)*size]
			if err = readPart(partName(folder, from/per), part); err == nil {
				_, err = w.Write(part)
			}
		}
		return err
	})
	if err != nil {
		return dataset.Exists(path), nil
	}
	os.RemoveAll(folder) // a leftover costs only space
	return true, nil
}

func partName(folder string, part int) string {
	return filepath.Join(folder, fmt.Sprintf("%08d", part))
}

// readPart reads the pixels of a part, checked against their hash.
func readPart(name string, pixels []byte) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var sum [sha256.Size]byte
	if _, err = io.ReadFull(f, sum[:]); err == nil {
		_, err = io.ReadFull(f, pixels)
	}
	if err == nil && sha256.Sum256(pixels) != sum {
		err = fmt.Errorf("%s: is damaged", name)
	}
	return err
}

func writePart(name string, pixels []byte) error {
	return aside.Write(name, func(w io.Writer) error {
		sum := sha256.Sum256(pixels)
		_, err := w.Write(sum[:])
		if err == nil {
			_, err = w.Write(pixels)
		}
		return err
	})
}

func (s *pictureSet) cacheKey() (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s%q %v\n", cacheMagic, s.Path, s.shape)
	for _, name := range s.files {
		info, err := os.Stat(filepath.Join(s.Path, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// readCache returns the pixels in a cache, checked against their hash.
func (s *pictureSet) readCache(path string) ([]byte, error) {
	whole, err := s.mapped.Contents(path)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(whole, []byte(cacheMagic))
	if ok && len(rest) == sha256.Size+len(s.files)*s.shape.Len() {
		pixels := rest[sha256.Size:]
		if sum := sha256.Sum256(pixels); bytes.HasPrefix(rest, sum[:]) {
			return pixels, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s: is damaged", path), s.mapped.Close())
}

// decodeAll reads every picture into memory.
func (s *pictureSet) decodeAll(c *counter) ([]byte, error) {
	size := s.shape.Len()
	if err := room.Ask(float64(len(s.files)*size), "decoding the pictures"); err != nil {
		return nil, err
	}
	b := make([]byte, len(s.files)*size)
	return b, s.decodeSome(b, s.files, c)
}

// decodeSome reads some pictures, on every core. The error is the same on any number of cores,
// unless the counter ends the reading.
func (s *pictureSet) decodeSome(b []byte, files []string, c *counter) error {
	size := s.shape.Len()
	errs := make([]error, len(files))
	dataset.OnEveryCore(len(files), func(i int) {
		if errs[i] = c.ended(); errs[i] != nil {
			return
		}
		if errs[i] = s.decode(b[i*size:(i+1)*size], files[i]); errs[i] == nil {
			errs[i] = c.add(1)
		}
	})
	return cmp.Or(errs...)
}

// decode reads one picture as [C][H][W].
func (s *pictureSet) decode(dst []byte, name string) error {
	err := s.decodeTo(dst, filepath.Join(s.Path, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}

func (s *pictureSet) decodeTo(dst []byte, path string) error {
	f, err := dataset.OpenInput(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := dataset.ReadWhole(f)
	if err != nil {
		return err
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return err
	}
	if w, h := config.Width, config.Height; w < 1 || h < 1 || w > mostPixels/h {
		return fmt.Errorf("%d×%d pixels: at most %d in all are taken", w, h, mostPixels)
	}
	img, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		return err
	}
	s.drawSquare(dst, img)
	return nil
}

// drawSquare writes the square in the middle of a picture, resized. Transparent parts become black.
func (s *pictureSet) drawSquare(dst []byte, img image.Image) {
	from := img.Bounds()
	side := min(from.Dx(), from.Dy())
	from.Min = from.Min.Add(image.Pt((from.Dx()-side)/2, (from.Dy()-side)/2))
	from.Max = from.Min.Add(image.Pt(side, side))
	w := s.shape.W
	to := image.NewRGBA(image.Rect(0, 0, w, w))
	if side == w {
		resize.Draw(to, to.Bounds(), img, from.Min, resize.Src)
	} else {
		resize.CatmullRom.Scale(to, to.Bounds(), img, from, resize.Src, nil)
	}
	per := w * w
	for i := range per {
		r, g, b := to.Pix[4*i], to.Pix[4*i+1], to.Pix[4*i+2]
		if s.shape.C == 1 { // ITU-R BT.601, as Pillow's and Go's grey
			dst[i] = byte((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
			continue
		}
		dst[i], dst[per+i], dst[2*per+i] = r, g, b
	}
}
