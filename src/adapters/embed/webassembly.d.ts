/** The part of the WebAssembly interface that is used here: neither Node's types nor lib.es declare it. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: {
      readonly initial: number
      readonly maximum?: number
      readonly shared?: boolean
    })
    readonly buffer: ArrayBuffer
    /** Adds pages of 65,536 bytes, detaches the old buffer and returns the former number of pages. */
    grow(pages: number): number
  }
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports?: Readonly<Record<string, Readonly<Record<string, unknown>>>>)
    readonly exports: Readonly<Record<string, unknown>>
  }
  function validate(bytes: Uint8Array): boolean
}
