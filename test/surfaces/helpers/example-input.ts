import { parse } from 'yaml'

/** Returns the arguments of a call that is written as text: plain data in JavaScript is YAML. */
export function exampleInput(example: string): Record<string, unknown> {
  return Object(parse(example.slice(example.indexOf('(') + 1, example.lastIndexOf(')')) || '{}'))
}
