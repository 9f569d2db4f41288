package data

// Purposes keep random streams of one seed apart.
const (
	purposeShuffle = 0x73687566 // the order of an epoch
	purposeBatch   = 0x62617463 // draws and augmentation of a batch
	purposeHoldOut = 0x686f6c64 // the members of a hold-out
	purposeDraw    = 0x64726177 // the images of "shapes"
)

// mix hashes words to 64 bits, every bit of which depends on every bit of them: the finaliser of SplitMix64 (Steele,
// Lea, Flood 2014) over a chain. It turns coordinates such as (seed, epoch, step) into a generator's seed.
func mix(words ...uint64) uint64 {
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
