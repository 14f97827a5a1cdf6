//! Things that are kept for each CPU that an event named.

/// A thing for each CPU that was met: what it costs to walk over them does not depend on the numbers of the CPUs.
#[derive(Debug, Clone)]
pub(crate) struct PerCpu<T> {
    /// Place of each CPU in `met`, one more than it; 0 for a CPU that was not met.
    places: Vec<u16>,
    met: Vec<(u32, T)>,
}

impl<T> PerCpu<T> {
    /// An empty map: no CPU was seen so far.
    pub(crate) fn new() -> Self {
        Self {
            places: Vec::new(),
            met: Vec::new(),
        }
    }

    fn place(&self, cpu: u32) -> Option<usize> {
        let place = self.places.get(cpu as usize)?;
        usize::from(*place).checked_sub(1)
    }

    /// Returns the value of a CPU; none if it was never used.
    #[inline]
    pub(crate) fn get(&self, cpu: u32) -> Option<&T> {
        Some(&self.met.get(self.place(cpu)?)?.1)
    }

    /// As [`Self::get`].
    #[inline]
    pub(crate) fn get_mut(&mut self, cpu: u32) -> Option<&mut T> {
        let place = self.place(cpu)?;
        Some(&mut self.met.get_mut(place)?.1)
    }

    /// Returns the value of a CPU, created by `new` on first use. `None` for an invalid number.
    #[inline]
    pub(crate) fn meet(&mut self, cpu: u32, new: impl FnOnce() -> T) -> Option<&mut T> {
        let place = match self.place(cpu) {
            Some(place) => place,
            None => self.begin(cpu, new())?,
        };
        Some(&mut self.met.get_mut(place)?.1)
    }

    #[cold]
    fn begin(&mut self, cpu: u32, new: T) -> Option<usize> {
        if cpu >= numalens_core::topology::MAX_CPUS {
            return None;
        }
        if self.places.len() <= cpu as usize {
            self.places.resize(cpu as usize + 1, 0);
        }
        self.met.push((cpu, new));
        self.places[cpu as usize] = self.met.len() as u16;
        Some(self.met.len() - 1)
    }

    /// Number of CPUs with a value.
    pub(crate) fn len(&self) -> usize {
        self.met.len()
    }

    /// One more than the largest number that was met.
    pub(crate) fn end(&self) -> u32 {
        self.places.len() as u32
    }

    /// The CPUs, in the order in which they were met.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.met.iter().map(|(cpu, item)| (*cpu, item))
    }

    /// As [`Self::iter`].
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        self.met.iter_mut().map(|(cpu, item)| (*cpu, item))
    }
}
