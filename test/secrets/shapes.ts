import { POSITIVES } from './positives.ts'
import type { Shape } from './shape.ts'
import { PLACE_SHAPES } from './shapes-places.ts'
import { PROSE_SHAPES } from './shapes-prose.ts'
import { VENDOR_SHAPES } from './shapes-vendors.ts'

/** Every shape that the rules were made for, as the bench counts them. */
export const SHAPES: readonly Shape[] = [
  ...POSITIVES.map(({ secret, text }) => ({ group: 'formats', secret, text })),
  ...VENDOR_SHAPES,
  ...PLACE_SHAPES,
  ...PROSE_SHAPES,
]
