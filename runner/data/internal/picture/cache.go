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
func (s *pictureSet) pixels(dir string) ([]byte, error) {
	key, err := s.cacheKey()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "pictures", key)
	if b, err := s.readCache(path); err == nil {
		return b, nil
	}
	b, err := s.decodeAll()
	if err != nil || writeCache(path, b) != nil {
		return b, err
	}
	if cached, err := s.readCache(path); err == nil {
		return cached, nil
	}
	return b, nil
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

func writeCache(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return aside.Write(path, func(w io.Writer) error {
		sum := sha256.Sum256(b)
		_, err := w.Write(append([]byte(cacheMagic), sum[:]...))
		if err == nil {
			_, err = w.Write(b)
		}
		return err
	})
}

// decodeAll reads every picture, on every core.
func (s *pictureSet) decodeAll() ([]byte, error) {
	size := s.shape.Len()
	if err := room.Ask(float64(len(s.files)*size), "decoding the pictures"); err != nil {
		return nil, err
	}
	b := make([]byte, len(s.files)*size)
	errs := make([]error, len(s.files))
	dataset.OnEveryCore(len(s.files), func(i int) {
		errs[i] = s.decode(b[i*size:(i+1)*size], s.files[i])
	})
	return b, cmp.Or(errs...) // the same error on any number of cores
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
