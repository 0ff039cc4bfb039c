import type { AddCommand } from './program.ts'

/** Exit code of the controller, once it ended. */
type ControllerMain = (words: readonly string[]) => Promise<number>

/** As the agent, a program that runs in the cluster and reads its options itself; here it is only found. */
export const addControllerCommand =
  (load: () => Promise<ControllerMain>): AddCommand =>
  (program, _context, exitWith) => {
    program
      .command('controller')
      .summary('limit how many nodes are out by cordon at the same time')
      .description(
        'Grants cordons to the nodes of a fleet, a few at a time: `evenkeel controller --help` lists its options.',
      )
      .usage('[options]')
      .helpOption(false)
      .argument('[options...]')
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (words: readonly string[]) => exitWith(await (await load())(words)))
  }
