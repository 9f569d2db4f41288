// Command _asm writes the assembly of package kern, one .s file for each instruction set, and the
// Go declarations of all of them.
//
// Run it with go generate in the package's folder. It reads the kernels'
// argument structs from tile.go, so that offsets cannot drift.
package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: go run . TILE.GO OUTPUT_FOLDER")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(tile, out string) error {
	pkg, err := loadTypes(tile)
	if err != nil {
		return err
	}
	cfg := printer.Config{Name: "dro/internal/kern/_asm", Pkg: "kern"}
	stubs := ir.NewFile()
	for _, isa := range []vectors{avx2(), avx512(), bf16(), amx()} {
		g := &generator{Context: build.NewContext(), vectors: isa, pkg: pkg}
		g.ConstraintExpr("!purego")
		isa.write(g)
		f, err := g.Result()
		if err != nil {
			return fmt.Errorf("%s: %w", isa.name, err)
		}
		if err := pass.Compile.Execute(f); err != nil {
			return fmt.Errorf("%s: %w", isa.name, err)
		}
		if err := write(filepath.Join(out, isa.file), printer.NewGoAsm(cfg), f); err != nil {
			return err
		}
		stubs.Sections = append(stubs.Sections, f.Sections...)
	}
	constraint, err := buildtags.ParseConstraint("!purego")
	if err != nil {
		return err
	}
	stubs.Constraints = constraint.ToConstraints()
	return write(filepath.Join(out, "stubs_amd64.go"), narrow{printer.NewStubs(cfg)}, stubs)
}

// loadTypes type-checks the one file that declares the argument structs.
func loadTypes(path string) (*types.Package, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, 0)
	if err != nil {
		return nil, err
	}
	cfg := types.Config{Importer: importer.Default()}
	return cfg.Check("kern", fset, []*ast.File{f}, nil)
}

func write(path string, p printer.Printer, f *ir.File) error {
	b, err := p.Print(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, b, 0o644)
}

// function starts a leaf function. Its name gets the instruction set's suffix;
// signature may use the structs of tile.go.
func (g *generator) function(name, signature, doc string) {
	g.Function(name + g.suffix)
	g.Attributes(attr.NOSPLIT)
	sig, err := gotypes.ParseSignatureInPackage(g.pkg, signature)
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	g.Signature(sig)
	g.Pragma("noescape")
	g.Doc(wrap(name+g.suffix+" "+doc, " ", 77)...)
}
