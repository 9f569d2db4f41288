package picture

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"path/filepath"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/internal/aside"
	"drolab/runner/internal/room"

	_ "golang.org/x/image/bmp"
	resize "golang.org/x/image/draw"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// mostPixels is the maximum number of pixels of a picture, which is decoded whole: 256 MB.
const mostPixels = 64 << 20

// A cache of resized pictures is cacheMagic, the SHA-256 of the rest, the pixels, sample after
// sample, and a byte of facts for each sample. Its number rises when pictures are decoded in another
// way.
const cacheMagic = "drolab pictures 2\n"

// facts are what a user is told of pictures, in one byte for each.
type facts byte

const (
	turned      facts = 1 << iota // EXIF data say that it is not seen as it is stored
	transparent                   // parts of it are transparent
)

// decoded are resized pictures, [N][C][H][W], and facts of each.
type decoded struct{ pixels, facts []byte }

// count returns the number of pictures of which a fact holds.
func (d *decoded) count(of facts) (n int) {
	for _, f := range d.facts {
		if facts(f)&of != 0 {
			n++
		}
	}
	return n
}

// pictures returns the pictures from the cache in the data folder, and makes the cache if it is not
// there. Each state of the files, given by their names, sizes and times, has its own cache. If the
// folder cannot be written to, the pictures are in memory alone.
func (s *pictureSet) pictures(dir string) (*decoded, error) {
	key, err := s.cacheKey()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "pictures", key)
	if d, err := s.readCache(path); err == nil {
		return d, nil
	}
	d, err := s.decodeAll()
	if err != nil || writeCache(path, d) != nil {
		return d, err
	}
	if cached, err := s.readCache(path); err == nil {
		return cached, nil
	}
	return d, nil
}

func (s *pictureSet) cacheKey() (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s%q %v %s\n", cacheMagic, s.Path, s.shape, s.Choice("orientation"))
	for _, name := range s.files {
		info, err := os.Stat(filepath.Join(s.Path, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// readCache returns the pictures in a cache, checked against their hash.
func (s *pictureSet) readCache(path string) (*decoded, error) {
	whole, err := s.mapped.Contents(path)
	if err != nil {
		return nil, err
	}
	pixels := len(s.files) * s.shape.Len()
	rest, ok := bytes.CutPrefix(whole, []byte(cacheMagic))
	if ok && len(rest) == sha256.Size+pixels+len(s.files) {
		content := rest[sha256.Size:]
		if sum := sha256.Sum256(content); bytes.HasPrefix(rest, sum[:]) {
			return &decoded{content[:pixels], content[pixels:]}, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s: is damaged", path), s.mapped.Close())
}

func writeCache(path string, d *decoded) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return aside.Write(path, func(w io.Writer) error {
		sum := sha256.New()
		sum.Write(d.pixels)
		sum.Write(d.facts)
		for _, part := range [][]byte{[]byte(cacheMagic), sum.Sum(nil), d.pixels, d.facts} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// decodeAll reads every picture, on every core.
func (s *pictureSet) decodeAll() (*decoded, error) {
	n, size := len(s.files), s.shape.Len()
	if err := room.Ask(float64(n*(size+1)), "decoding the pictures"); err != nil {
		return nil, err
	}
	d := &decoded{make([]byte, n*size), make([]byte, n)}
	errs := make([]error, n)
	dataset.OnEveryCore(n, func(i int) {
		var of facts
		of, errs[i] = s.decode(d.pixels[i*size:(i+1)*size], s.files[i])
		d.facts[i] = byte(of)
	})
	return d, cmp.Or(errs...) // the same error on any number of cores
}

// decode reads one picture as [C][H][W].
func (s *pictureSet) decode(dst []byte, name string) (facts, error) {
	of, err := s.decodeTo(dst, filepath.Join(s.Path, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return of, fmt.Errorf("%s: %w", name, err)
	}
	return of, err
}

func (s *pictureSet) decodeTo(dst []byte, path string) (of facts, err error) {
	f, err := dataset.OpenInput(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	b, err := dataset.ReadWhole(f)
	if err != nil {
		return 0, err
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return 0, err
	}
	if w, h := config.Width, config.Height; w < 1 || h < 1 || w > mostPixels/h {
		return 0, fmt.Errorf("%d×%d pixels: at most %d in all are taken", w, h, mostPixels)
	}
	img, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		return 0, err
	}
	if format == "webp" {
		img = webpColours(img)
	}
	if opaque, ok := img.(interface{ Opaque() bool }); ok && !opaque.Opaque() {
		of |= transparent
	}
	as := orientationOf(format, b)
	if as != asStored {
		of |= turned
	}
	if s.Choice("orientation") == "stored" {
		as = asStored
	}
	s.drawSquare(dst, img, as)
	return of, nil
}

// drawSquare writes the square in the middle of a picture, resized and turned. Transparent parts
// become black.
func (s *pictureSet) drawSquare(dst []byte, img image.Image, as orientation) {
	size := img.Bounds().Size()
	side := min(size.X, size.Y)
	seen := as.size(size)
	corner := as.stored(image.Pt((seen.X-side)/2, (seen.Y-side)/2), side, size)
	from := image.Rectangle{Max: image.Pt(side, side)}.Add(img.Bounds().Min).Add(corner)
	w := s.shape.W
	to := image.NewRGBA(image.Rect(0, 0, w, w))
	if side == w {
		resize.Draw(to, to.Bounds(), img, from.Min, resize.Src)
	} else {
		resize.CatmullRom.Scale(to, to.Bounds(), img, from, resize.Src, nil)
	}
	per := w * w
	for i := range per {
		at := as.stored(image.Pt(i%w, i/w), 1, image.Pt(w, w))
		pix := to.Pix[to.PixOffset(at.X, at.Y):]
		r, g, b := pix[0], pix[1], pix[2]
		if s.shape.C == 1 { // ITU-R BT.601, as Pillow's and Go's grey
			dst[i] = byte((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
			continue
		}
		dst[i], dst[per+i], dst[2*per+i] = r, g, b
	}
}
