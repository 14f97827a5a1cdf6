import { useSyncExternalStore } from "react";
import { currentTheme, subscribeTheme, toggleTheme } from "../canvas/theme.ts";

export function useTheme() {
  return useSyncExternalStore(subscribeTheme, currentTheme);
}

export function ThemeButton() {
  const theme = useTheme();
  const next = theme === "dark" ? "light" : "dark";
  return (
    <button type="button" className="quiet" onClick={toggleTheme} title={`Switch to the ${next} theme (t)`}>
      {theme === "dark" ? "Light" : "Dark"}
    </button>
  );
}
