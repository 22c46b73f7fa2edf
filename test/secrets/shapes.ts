import { POSITIVES } from './positives.ts'
import type { Shape } from './shape.ts'

/** The shapes that the rules were made for, as the bench counts them. */
export const SHAPES: readonly Shape[] = POSITIVES.map(({ secret, text }) => ({
  group: 'formats',
  secret,
  text,
}))
