import type { HookClient } from '../event.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'

/** The clients whose hooks are understood, by their names. */
export const HOOK_CLIENTS: ReadonlyMap<string, HookClient> = new Map(
  [claudeCode, codex, gemini, opencode].map((client) => [client.name, client]),
)
