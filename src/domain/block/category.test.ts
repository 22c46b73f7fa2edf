import { expect, test } from 'vitest'
import { isRescorable, normaliseCategory, skipsDuplicateCheck, volatilityClass } from './category.ts'

test('a category is a lower-case word or a path of them', () => {
  expect(normaliseCategory(' Work/Notes-2.0 ')).toBe('work/notes-2.0')
})

test.each(['', '/x', 'x/', 'x//y', 'a b', '-x', 'x/.y', 'é', 'x'.repeat(129)])(
  'the category %j is refused as invalid input',
  (category) => {
    expect(() => normaliseCategory(category)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }))
  },
)

test('messages may repeat, and events and minds are not judged again', () => {
  expect(skipsDuplicateCheck('message')).toBe(true)
  expect(skipsDuplicateCheck('knowledge')).toBe(false)
  expect(['message', 'mind', 'decision', 'prediction', 'observation'].filter(isRescorable)).toEqual([
    'observation',
  ])
})

test('identity outlasts the project, and the project outlasts a status', () => {
  expect(volatilityClass(['self/constitutional'], 'observation')).toBe('identity')
  expect(volatilityClass(['self/style'], 'task')).toBe('project')
  expect(volatilityClass([], 'mind')).toBe('project')
  expect(volatilityClass(['x'], 'task')).toBe('status')
})
