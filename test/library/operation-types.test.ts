import { expect, test } from 'vitest'
import type * as z from 'zod'
import type { CallContext, Memory, Operations } from '../../src/index.ts'
import { operations, type table } from '../../src/operations/table.ts'

type Table = typeof table
type Name = keyof Table

/** The same with lists that may not be changed: a method also takes a list of an answer. */
type WithoutChange<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [K in keyof T]: WithoutChange<T[K]> }
    : T

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

type Input<N extends Name> = z.input<Table[N]['input']>
type Output<N extends Name> = Readonly<z.output<Table[N]['output']>>
type Given<N extends Name> = NonNullable<Parameters<Operations[N]>[0]>
type Answer<N extends Name> = Awaited<ReturnType<Operations[N]>>

/** The operations whose declared types are other ones than those of the table. */
type OtherInput = {
  [N in Name]: Same<WithoutChange<Input<N>>, WithoutChange<Given<N>>> extends true ? never : N
}[Name]
type OtherOutput = { [N in Name]: Same<Output<N>, Answer<N>> extends true ? never : N }[Name]
type OtherContext = {
  [N in Name]: Same<Parameters<Operations[N]>[1], CallContext | undefined> extends true ? never : N
}[Name]
/** Those that may be called without arguments, here or there alone. */
type OtherNeed = {
  [N in Name]: Same<
    undefined extends Parameters<Operations[N]>[0] ? true : false,
    Record<string, never> extends Input<N> ? true : false
  > extends true
    ? never
    : N
}[Name]

/** Takes a type without members only, so that the compiler names those that are in it. */
function none<_ extends never>(): void {}

test('Operations declares each operation with the types of the table', () => {
  none<OtherInput>()
  none<OtherOutput>()
  none<OtherContext>()
  none<OtherNeed>()
  none<Exclude<keyof Operations, Name> | Exclude<Name, keyof Operations> | Exclude<Name, keyof Memory>>()
  expect(operations.length).toBeGreaterThan(30)
})
