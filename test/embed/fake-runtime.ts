import type { OnnxRuntime } from '../../src/adapters/embed/onnx.ts'

/** Components of its vectors. */
export const WIDTH = 4

/** A runtime whose hidden state of a token is (token id, place, 1, padded); it notes what it was asked. */
export function fakeRuntime(more: { inputNames?: string[]; dims?: number; fail?: string } = {}) {
  const runs: { readonly dims: readonly number[]; readonly inputs: readonly string[] }[] = []
  class Tensor {
    readonly data: BigInt64Array
    readonly dims: readonly number[]
    constructor(_type: 'int64', data: BigInt64Array, dims: readonly number[]) {
      this.data = data
      this.dims = dims
    }
  }
  const session = {
    inputNames: more.inputNames ?? ['input_ids', 'attention_mask', 'token_type_ids'],
    outputNames: ['last_hidden_state'],
    run: async (feeds: Readonly<Record<string, unknown>>) => {
      if (more.fail) throw new Error(more.fail)
      const { input_ids: ids, attention_mask: mask } = feeds as Record<string, Tensor>
      const [count = 0, length = 0] = ids?.dims ?? []
      runs.push({ dims: [count, length], inputs: Object.keys(feeds) })
      const data = new Float32Array(count * length * WIDTH)
      for (let at = 0; at < count * length; at++)
        data.set([Number(ids?.data[at]), at % length, 1, Number(mask?.data[at]) === 1 ? 0 : 9e9], at * WIDTH)
      return { last_hidden_state: { data, dims: [count, length, WIDTH].slice(0, more.dims ?? 3) } }
    },
  }
  const load = async () =>
    ({ InferenceSession: { create: async () => session }, Tensor }) as unknown as OnnxRuntime
  return { runs, load }
}
