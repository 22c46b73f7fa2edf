import { test } from 'vitest'
import { BLOCKS, dreamThrough, FAULTS, nameOf } from '../helpers/dream-through.ts'

/** Twelve questions about blocks and those about their pairs. */
const CALLS = 15

for (const fault of FAULTS) {
  test(`a dream of ${BLOCKS} blocks survives ${nameOf(fault)} at every single call`, async () => {
    for (let call = 1; call <= CALLS; call++) await dreamThrough(fault, call)
  })
}
