package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"

	"golang.org/x/image/riff"
)

// An orientation is the way in which a stored picture is to be turned or mirrored before people
// see it, as EXIF numbers it: 1 is as stored, 2 mirrors left and right, 3 turns by 180°, 4 mirrors
// top and bottom, 5 mirrors along the main diagonal, 6 turns clockwise by 90°, 7 mirrors along the
// other diagonal, 8 turns counterclockwise by 90°.
type orientation int

const asStored orientation = 1

// orientationOf returns the orientation in the EXIF data of a picture; asStored where it has none
// that can be read, since damaged EXIF data do not make a picture unreadable. format is a name of
// package image.
//
// It reads this one tag itself. The library imagemeta v1.0.1, which was tried, takes a millisecond
// and 200 kB at each start of the program, and does not find EXIF data behind a chunk of odd length
// in a WebP.
func orientationOf(format string, b []byte) orientation {
	switch format {
	case "jpeg":
		return orientationIn(exifOfJPEG(b))
	case "png":
		return orientationIn(exifOfPNG(b))
	case "webp":
		return orientationIn(exifOfWebP(b))
	case "tiff":
		return orientationIn(b)
	}
	return asStored
}

// exifPrefix stands before the EXIF data in a JPEG. Some programs write it in a WebP, too.
var exifPrefix = []byte("Exif\x00\x00")

// exifOfJPEG returns the EXIF data of a JPEG; nil: there are none. They are in an APP1 segment
// before the first scan.
func exifOfJPEG(b []byte) []byte {
	const marker, app1, startOfScan = 0xff, 0xe1, 0xda
	b = b[min(2, len(b)):]
	for len(b) >= 4 && b[0] == marker {
		kind, size := b[1], int(binary.BigEndian.Uint16(b[2:])) // with the two bytes of the size
		if kind == marker {                                     // a byte of padding
			b = b[1:]
			continue
		}
		if kind == startOfScan || size < 2 || 2+size > len(b) {
			return nil
		}
		if exif, ok := bytes.CutPrefix(b[4:2+size], exifPrefix); ok && kind == app1 {
			return exif
		}
		b = b[2+size:]
	}
	return nil
}

// exifOfPNG returns the EXIF data of a PNG; nil: there are none.
func exifOfPNG(b []byte) []byte {
	const signature, head, sum = 8, 8, 4 // bytes of the file's signature, a chunk's head and sum
	for b = b[min(signature, len(b)):]; len(b) >= head+sum; {
		size := int(binary.BigEndian.Uint32(b))
		if size > len(b)-head-sum {
			return nil
		}
		if string(b[4:head]) == "eXIf" {
			return b[head:][:size]
		}
		b = b[head+size+sum:]
	}
	return nil
}

// exifOfWebP returns the EXIF data of a WebP; nil: there are none.
func exifOfWebP(b []byte) []byte {
	_, chunks, err := riff.NewReader(bytes.NewReader(b))
	for err == nil {
		var id riff.FourCC
		var data io.Reader
		id, _, data, err = chunks.Next()
		if err != nil || id != (riff.FourCC{'E', 'X', 'I', 'F'}) {
			continue
		}
		exif, err := io.ReadAll(data)
		if err != nil {
			return nil
		}
		return bytes.TrimPrefix(exif, exifPrefix)
	}
	return nil
}

// orientationIn returns the orientation in EXIF data, which have the form of a TIFF file: a byte
// order, and the offset of a list of entries of 12 bytes.
func orientationIn(exif []byte) orientation {
	if len(exif) < 8 {
		return asStored
	}
	var order binary.ByteOrder
	switch string(exif[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return asStored
	}
	const tag, short, entry = 0x0112, 3, 12
	at := uint64(order.Uint32(exif[4:]))
	if at+2 > uint64(len(exif)) {
		return asStored
	}
	list := exif[at+2:]
	for range order.Uint16(exif[at:]) {
		if len(list) < entry {
			return asStored
		}
		if order.Uint16(list) == tag && order.Uint16(list[2:]) == short {
			if v := order.Uint16(list[8:]); v >= 1 && v <= 8 {
				return orientation(v)
			}
			return asStored
		}
		list = list[entry:]
	}
	return asStored
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
