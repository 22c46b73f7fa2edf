import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { fieldsOf, type HookFields, type HookStep } from '../event.ts'

/** The place of a file in which Codex writes down a session, whose id ends its name. */
const ROLLOUT = /[/\\]sessions[/\\]\d{4}[/\\]\d\d[/\\]\d\d[/\\]rollout-[\w-]{1,160}\.jsonl$/
/** Bytes of its end that are read: some hundred steps. */
const READ_MOST = 1_048_576
/** The most characters in the id of a step. */
const ID_MAX = 128

/**
 * Returns the steps of a turn as Codex writes them down: its hooks tell of no tool and of no exit code. Empty for any file that
 * is no such record of the session. Reads the last megabyte, some milliseconds.
 */
export function stepsOfTurn(path: string, session: string, turn: string): HookStep[] {
  if (!ROLLOUT.test(path) || session === '' || turn === '' || !path.endsWith(`${session}.jsonl`)) return []
  return endOf(path)
    .split('\n')
    .filter((line) => line.includes('"item_completed"'))
    .flatMap((line) => stepsIn(fieldsOf(line).object('payload'), turn))
}

function stepsIn(payload: HookFields, turn: string): HookStep[] {
  if (payload.text('type') !== 'item_completed' || payload.text('turn_id') !== turn) return []
  const item = payload.object('item')
  const id = item.text('id').slice(0, ID_MAX)
  if (item.text('type') === 'CommandExecution') {
    // The shell, its option, and the line.
    const command = item.list('command').at(-1) ?? ''
    const ok = item.number('exit_code') === 0
    return command === '' ? [] : [{ id, tool: 'shell', words: command, command, ok }]
  }
  if (item.text('type') !== 'FileChange') return []
  const changes = item.object('changes')
  return changes.names().map((path): HookStep => {
    const words = writtenIn(changes.object(path))
    return { id: `${id} ${path}`, tool: 'apply_patch', words, path, ok: item.text('status') === 'completed' }
  })
}

/** The new text of a change: all of a new file, the lines that a patch adds. */
function writtenIn(change: HookFields): string {
  const added = change
    .text('unified_diff')
    .split('\n')
    .filter((line) => line.startsWith('+'))
  return change.text('content') || added.map((line) => line.slice(1)).join('\n')
}

/** The end of a regular file; empty if there is none. */
function endOf(path: string): string {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
  let file: number | undefined
  try {
    // Nothing is opened in a way that waits.
    file = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
    const found = fstatSync(file)
    if (!found.isFile()) return ''
    const buffer = Buffer.alloc(Math.min(READ_MOST, found.size))
    const length = readSync(file, buffer, 0, buffer.length, found.size - buffer.length)
    return buffer.toString('utf8', 0, length)
  } catch {
    return ''
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
