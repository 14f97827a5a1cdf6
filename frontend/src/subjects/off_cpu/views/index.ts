export { PathFacts } from "./path-facts.tsx";
export { SleepStory } from "./sleep-story.tsx";
export { TaskFacts, TaskLedger } from "./task-facts.tsx";
