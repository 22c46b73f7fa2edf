import type { OpenSystem } from './system.ts'

/** Every vector compared with the question's in plain JavaScript; kept in memory only, nothing is written. */
export const openPlainCosine: OpenSystem = async ({ dimensions, embed }) => {
  let matrix = new Float32Array(1_024 * dimensions)
  const places: number[] = []
  return {
    version: '',
    add: async (text, at) => {
      if ((places.length + 1) * dimensions > matrix.length) {
        const larger = new Float32Array(2 * matrix.length)
        larger.set(matrix)
        matrix = larger
      }
      const [vector] = (await embed([text])) as [Float32Array]
      matrix.set(vector, places.length * dimensions)
      places.push(at)
    },
    search: async (query, { topK }) => {
      const [question] = (await embed([query])) as [Float32Array]
      const scored = places.map((at, row) => ({ at, score: product(question, matrix, row * dimensions) }))
      scored.sort((a, b) => b.score - a.score)
      return scored.slice(0, topK).map(({ at }) => at)
    },
    close: async () => {},
  }
}

function product(question: Float32Array, matrix: Float32Array, from: number): number {
  let sum = 0
  for (let i = 0; i < question.length; i++) sum += (question[i] as number) * (matrix[from + i] as number)
  return sum
}
