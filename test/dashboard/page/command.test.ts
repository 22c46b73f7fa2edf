import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandAgain, shellWord, undoInWhole } from '../../../dashboard/command.ts'
import { shownShellWord } from '../../../src/domain/safety/shown-shell-word.ts'

test('the command to start it again names the memory, the scope and how it was opened', () => {
  expect(commandAgain({ readOnly: false })).toBe('elfmem dashboard')
  expect(commandAgain({ location: '/srv/notes.db', readOnly: false })).toBe(
    'elfmem dashboard --db /srv/notes.db',
  )
  expect(commandAgain({ location: '/srv/my notes.db', scope: '-x', readOnly: true })).toBe(
    "elfmem dashboard --db '/srv/my notes.db' --scope='-x' --read-only",
  )
  expect(commandAgain({ location: '/tmp/a/demo.db', name: 'demo', readOnly: true })).toBe(
    'elfmem dashboard --demo',
  )
  expect(commandAgain({ location: ':memory:', readOnly: false })).toBe('elfmem dashboard')
})

test('nothing in a name is run, and none is written that reads otherwise than it is', () => {
  expect(shellWord('/a/$(reboot) `x`.db')).toBe("'/a/$(reboot) `x`.db'")
  expect(shellWord("it's")).toBe("'it'\\''s'")
  expect(commandAgain({ location: '/a/\u202eb.db', scope: 'home', readOnly: false })).toBe(
    'elfmem dashboard --scope home',
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const word = shellWord(text)
      if (word !== undefined) expect(word).toBe(shownShellWord(text))
    }),
  )
})

test('what a scope does not take back has a command for the whole memory', () => {
  expect(undoInWhole(42, { location: '/home/mara/my memory.db' })).toBe(
    "elfmem undo 42 --db '/home/mara/my memory.db'",
  )
})
