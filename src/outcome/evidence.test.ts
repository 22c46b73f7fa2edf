import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  balanceOf,
  LEARNING,
  NO_PROOF,
  NO_VOICE,
  type Proof,
  type QuestionEvidence,
  trustOf,
  type Voice,
  voiceOf,
  withProof,
} from './experience.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const mass = fc.double({ min: 0, max: 50, noNaN: true })
const evidence: fc.Arbitrary<QuestionEvidence> = fc.record({
  helped: mass,
  misled: mass,
  graded: mass,
  beside: mass,
})

const spoken = (rows: readonly QuestionEvidence[]): Voice =>
  rows
    .map((row) => voiceOf(row))
    .reduce((all, each) => ({ up: all.up + each.up, down: all.down + each.down }), NO_VOICE)

test('balanceOf lies in −1..1, rises with what speaks for a block and falls with what speaks against it', () => {
  fc.assert(
    fc.property(fc.array(evidence, { maxLength: 8 }), mass, (rows, more) => {
      const voice = spoken(rows)
      const balance = balanceOf(voice, 2)
      expect(Math.abs(balance)).toBeLessThanOrEqual(1)
      expect(balanceOf({ ...voice, up: voice.up + more }, 2)).toBeGreaterThanOrEqual(balance - 1e-9)
      expect(balanceOf({ ...voice, down: voice.down + more }, 2)).toBeLessThanOrEqual(balance + 1e-9)
    }),
  )
})

/** Reports about blocks shown in random places, where experience foretells the signal as far as `tie` says. */
function told(tie: number, seed: readonly number[]): Proof {
  return seed.reduce<Proof>((proof, luck, i) => {
    const foretold = ((i * 7) % 11) / 11 - 0.5
    const signal = Math.min(1, Math.max(0, 0.5 + tie * foretold + 0.2 * (luck - 0.5)))
    return withProof(proof, { place: i % 5, signal, weight: 1, foretold })
  }, NO_PROOF)
}

test('trustOf rises with how well experience foretold reports, within its bounds', () => {
  const luck = fc.array(unit, { minLength: 120, maxLength: 200 })
  fc.assert(
    fc.property(luck, (seed) => {
      const [none, full] = [trustOf(told(0, seed)), trustOf(told(1, seed))]
      expect(none).toBeGreaterThanOrEqual(LEARNING.leastTrust)
      expect(full).toBeLessThanOrEqual(1)
      expect(full).toBeGreaterThanOrEqual(none)
      expect(full).toBe(1)
    }),
  )
  expect(trustOf(NO_PROOF)).toBeCloseTo(2 / 3, 12)
})
