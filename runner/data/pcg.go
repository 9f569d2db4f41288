package data

import "math/bits"

// Purposes keep random streams of one seed apart.
const (
	PurposeShuffle = 0x73687566 // the order of an epoch
	PurposeBatch   = 0x62617463 // draws and augmentation of a batch
	purposeHoldOut = 0x686f6c64 // the members of a hold-out
	purposeKeep    = 0x6b656570 // the samples that an imbalance keeps
	// PurposeDraw is of drawn datasets. The third word of Mix keeps them apart: 0 and 1 are of
	// shapes, 2 to 4 of spurious.
	PurposeDraw = 0x64726177

	purposeMislabel = 0x6d69736c // label noise
)

// Mix hashes words to 64 bits, each of which depends on every bit of the words: the finaliser of
// SplitMix64 (Steele, Lea, Flood 2014) over a chain. It turns coordinates such as (seed, epoch,
// step) into a generator's seed.
func Mix(words ...uint64) uint64 {
	const golden = 0x9e3779b97f4a7c15
	h := uint64(golden)
	for _, w := range words {
		h += w + golden
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// PCG generates the numbers of rand.PCG (PCG-DXSM, 128 bits of state). Its state is a value, which
// a loop keeps in registers; the state of rand.PCG goes through memory at every number.
type PCG struct{ Hi, Lo uint64 }

// Next returns the next number and the state after it.
func (p PCG) Next() (PCG, uint64) {
	const (
		mulHi, mulLo = 2549297995355413924, 4865540595714422341
		incHi, incLo = 6364136223846793005, 1442695040888963407
		mulOut       = 0xda942042e4dd58b5
	)
	hi, lo := bits.Mul64(p.Lo, mulLo)
	hi += p.Hi*mulLo + p.Lo*mulHi
	lo, carry := bits.Add64(lo, incLo, 0)
	hi, _ = bits.Add64(hi, incHi, carry)
	out := (hi ^ hi>>32) * mulOut
	return PCG{hi, lo}, (out ^ out>>48) * (lo | 1)
}

// Uint64 returns the next number.
func (p *PCG) Uint64() (v uint64) {
	*p, v = p.Next()
	return v
}
