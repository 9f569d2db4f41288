package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"

	_ "golang.org/x/image/bmp"
	resize "golang.org/x/image/draw"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"drolab/runner/data"
)

// mostPixels is the maximum number of pixels of a picture, which is decoded whole: 256 MB.
const mostPixels = 64 << 20

// decode reads one picture into its record.
func (s *pictureSet) decode(record []byte, name string) error {
	pixels := record[:len(record)-1]
	of, err := s.decodeTo(pixels, filepath.Join(s.Path, name))
	if errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	record[len(pixels)] = byte(of)
	return nil
}

func (s *pictureSet) decodeTo(dst []byte, path string) (of facts, err error) {
	f, err := data.OpenInput(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	b, err := data.ReadWhole(f)
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
