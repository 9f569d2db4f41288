package picture

import (
	"bytes"
	"image"
	"io"

	"github.com/bep/imagemeta"
	"golang.org/x/image/riff"
)

// An orientation is the way in which a stored picture is to be turned or mirrored before people
// see it, as EXIF numbers it: 1 is as stored, 2 mirrors left and right, 3 turns by 180°, 4 mirrors
// top and bottom, 5 mirrors along the main diagonal, 6 turns clockwise by 90°, 7 mirrors along the
// other diagonal, 8 turns counterclockwise by 90°.
type orientation int

const asStored orientation = 1

// orientationOf returns the orientation in the EXIF data of a picture; asStored where it has none
// that can be read. format is a name of package image.
func orientationOf(format string, b []byte) orientation {
	var kind imagemeta.ImageFormat
	switch format {
	case "jpeg":
		kind = imagemeta.JPEG
	case "png":
		kind = imagemeta.PNG
	case "tiff":
		kind = imagemeta.TIFF
	case "webp":
		kind, b = imagemeta.TIFF, exifOfWebP(b)
	default:
		return asStored
	}
	found := asStored
	_, err := imagemeta.Decode(imagemeta.Options{
		R: bytes.NewReader(b), ImageFormat: kind, Sources: imagemeta.EXIF,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool {
			return tag.Tag == "Orientation" && tag.Namespace == "IFD0"
		},
		HandleTag: func(tag imagemeta.TagInfo) error {
			if v, ok := tag.Value.(uint16); ok && v >= 1 && v <= 8 {
				found = orientation(v)
			}
			return imagemeta.ErrStopWalking
		},
	})
	if err != nil {
		return asStored // damaged EXIF data do not make a picture unreadable
	}
	return found
}

// exifOfWebP returns the EXIF data of a WebP, which have the form of a TIFF file; nil: there are
// none. imagemeta v1.0.1 does not find them behind a chunk of an odd length.
func exifOfWebP(b []byte) []byte {
	_, chunks, err := riff.NewReader(bytes.NewReader(b))
	for err == nil {
		var id riff.FourCC
		var data io.Reader
		if id, _, data, err = chunks.Next(); err == nil && id == (riff.FourCC{'E', 'X', 'I', 'F'}) {
			exif, err := io.ReadAll(data)
			if err != nil {
				return nil
			}
			// Some programs write this prefix, as in a JPEG.
			return bytes.TrimPrefix(exif, []byte("Exif\x00\x00"))
		}
	}
	return nil
}

// size returns the width and the height of a picture as people see it.
func (o orientation) size(stored image.Point) image.Point {
	if o >= 5 {
		return image.Pt(stored.Y, stored.X)
	}
	return stored
}

// stored returns the place in the stored picture, of the given size, of a square of a picture as
// people see it. at is the square's least corner and side its side; a pixel is a square of side 1.
func (o orientation) stored(at image.Point, side int, size image.Point) image.Point {
	right, bottom := size.X-side, size.Y-side // the last places of such a square
	switch o {
	case 2:
		return image.Pt(right-at.X, at.Y)
	case 3:
		return image.Pt(right-at.X, bottom-at.Y)
	case 4:
		return image.Pt(at.X, bottom-at.Y)
	case 5:
		return image.Pt(at.Y, at.X)
	case 6:
		return image.Pt(at.Y, bottom-at.X)
	case 7:
		return image.Pt(right-at.Y, bottom-at.X)
	case 8:
		return image.Pt(right-at.Y, at.X)
	}
	return at
}
