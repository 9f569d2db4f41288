// Command arm64 writes the NEON assembly of package kern and its Go declarations.
//
// Go generate runs it beside the command for amd64. The library behind that one has no arm64, so
// this one prints the assembler's text itself. It reads the kernels' argument structs from tile.go,
// so that offsets cannot drift.
//
// Files:
//
//	main.go         the command
//	program.go      the text of functions: labels, loops, parameters and fields
//	instructions.go registers, and the vector instructions that Go's assembler lacks, as words
//	conv.go         convTile
//	grad.go         gradTile, rowsTile and outerTile, which keep sums of rows and columns
//	elementwise.go  kernels over slices, the update, the transposition and the peak
//	norm.go         batch normalisation
//	loss.go         cross-entropy, in float64
//	winograd.go     Winograd's transformations
package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: go run ./arm64 TILE.GO OUTPUT_FOLDER")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(tile, out string) error {
	tiles, err := loadTypes(tile)
	if err != nil {
		return err
	}
	p := &program{tiles: tiles}
	p.convTile()
	p.gradTile()
	p.rowsTile()
	p.outerTile()
	p.sumRow()
	p.maxOf4()
	p.maxOf4Backward()
	p.mask()
	p.add()
	p.sgd()
	p.transpose()
	p.peak()
	p.pause()
	p.moments()
	p.normForward()
	p.normBackward()
	p.softmaxTile()
	p.predictionsTile()
	p.lossGradientTile()
	p.winogradTiles()
	for name, text := range map[string]string{
		"neon_arm64.s":   p.assembly(),
		"stubs_arm64.go": p.declarations(),
	} {
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// loadTypes type-checks the one file that declares the argument structs.
func loadTypes(path string) (*types.Package, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, 0)
	if err != nil {
		return nil, err
	}
	cfg := types.Config{Importer: importer.Default(), Sizes: sizes}
	return cfg.Check("kern", fset, []*ast.File{f}, nil)
}
