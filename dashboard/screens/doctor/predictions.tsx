import type { Output } from '../../api.ts'
import { number, percent, plural } from '../../format.ts'

type Calibration = NonNullable<Output<'status'>['calibration']>

/** How good the settled predictions were: the Brier score, and what came true of what was said to be how likely. */
export function Predictions({ settled, brier, bins }: Calibration) {
  return (
    <section class="card" aria-labelledby="predictions-head">
      <div class="card-head">
        <h2 id="predictions-head">Predictions</h2>
      </div>
      <div class="card-body column">
        <p>
          {plural(settled, 'is', 'are')} settled. Brier score {brier.toFixed(2)}: 0 is best, and .25 is what
          “perhaps” gets.
        </p>
        <table class="calibration">
          <thead>
            <tr>
              <th scope="col">Said to be likely</th>
              <th scope="col">Came true</th>
              <th scope="col">Of</th>
            </tr>
          </thead>
          <tbody>
            {bins.map(({ said, cameTrue, n }) => (
              <tr key={said}>
                <td>{percent(said)} %</td>
                <td>{percent(cameTrue)} %</td>
                <td>{number(n)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
