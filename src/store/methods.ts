/** Functions that do what the methods of an interface promise, each given something before its own arguments. */
export type Functions<Methods, Given> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (given: Given, ...args: Args) => Answer | Promise<Answer>
    : never
}

/**
 * Returns a class whose methods call the functions, so that nobody writes a line for each.
 *
 * @param call calls a function with what the class was made with
 */
export function boundTo<Methods extends object, Given>(
  functions: Functions<Methods, Given>,
  call: (given: Given, work: (...args: unknown[]) => unknown, args: readonly unknown[]) => unknown = (
    given,
    work,
    args,
  ) => work(given, ...args),
): new (
  given: Given,
) => Methods {
  class Bound {
    readonly given: Given
    constructor(given: Given) {
      this.given = given
    }
  }
  for (const [name, work] of Object.entries(functions)) {
    const method = function (this: Bound, ...args: unknown[]) {
      return call(this.given, work as (...args: unknown[]) => unknown, args)
    }
    Object.defineProperty(Bound.prototype, name, { value: method })
  }
  return Bound as unknown as new (
    given: Given,
  ) => Methods
}
