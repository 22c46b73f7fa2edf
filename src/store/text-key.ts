import { hash } from 'node:crypto'
import { undressed } from '../domain/text/same-text.ts'

/** The first 16 hex digits of sha256 over what a text says; equal for texts that are the same, and hardly otherwise. */
export function textKey(content: string): string {
  return hash('sha256', undressed(content)).slice(0, 16)
}
