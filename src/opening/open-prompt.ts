import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Settings } from '../config/settings.ts'
import { ElfmemError } from '../errors.ts'

/** What a prompt of the owner must have places for. */
const VARIABLES = ['{self_context}', '{blocks}']

/**
 * The owner's words for how blocks are to be judged: those in the settings, or in the file they name, relative to the
 * working directory. Undefined when there are none. Throws `CONFIG_INVALID` for a file that cannot be read and for words
 * without a place for the identity and the blocks.
 */
export async function openPrompt({
  processBlock,
  processBlockFile,
}: Settings['prompts']): Promise<string | undefined> {
  if (processBlock !== undefined) return checked(processBlock, 'prompts.process_block')
  if (processBlockFile === undefined) return undefined
  const path = resolve(processBlockFile)
  return checked(await read(path), path)
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new ElfmemError('CONFIG_INVALID', `The prompt in ${path} cannot be read.`, {
      recovery: 'Check prompts.process_block_file, or leave it out to use the prompt inside the package.',
      cause,
    })
  }
}

function checked(prompt: string, place: string): string {
  const missing = VARIABLES.filter((variable) => !prompt.includes(variable))
  if (missing.length === 0) return prompt
  throw new ElfmemError(
    'CONFIG_INVALID',
    `The prompt in ${place} has no place for ${missing.join(' and ')}.`,
    {
      recovery: `Write ${VARIABLES.join(' and ')} where the identity and the numbered texts are to stand.`,
    },
  )
}
