import { writeFileSync } from 'node:fs'
import { operations } from '../src/operations/table.ts'
import { renderConfiguration } from './docs/configuration.ts'
import { renderReference } from './docs/reference.ts'

/** The generated pages by their path in docs/. */
export async function generatedPages(): Promise<Readonly<Record<string, string>>> {
  return { 'reference.md': await renderReference(operations), 'configuration.md': renderConfiguration() }
}

if (import.meta.main)
  for (const [name, text] of Object.entries(await generatedPages()))
    writeFileSync(new URL(`../docs/${name}`, import.meta.url), text)
